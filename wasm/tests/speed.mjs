// Prints as JSON the seconds of CPU time that `extract` and an `Extractor` take for a file: the median of some rounds, after one to warm up.
import { readFileSync } from "node:fs";

import { Extractor, extract } from "doisift";

const ROUNDS = 5;
const text = readFileSync(process.argv[2], "utf8");

function inPieces() {
  const extractor = new Extractor();
  for (let at = 0; at < text.length; at += 1 << 20) extractor.push(text.slice(at, at + (1 << 20)));
  extractor.finish();
}

function seconds(run) {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function median(run) {
  run();
  const rounds = Array.from({ length: ROUNDS }, () => seconds(run));
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1];
}

console.log(JSON.stringify({ extract: median(() => extract(text)), pieces: median(inPieces) }));
