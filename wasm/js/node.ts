// The package in Node, where the module is a file.
import { readFileSync } from "node:fs";

import { initSync } from "./doisift_wasm.js";

initSync({ module: readFileSync(new URL("./doisift_wasm_bg.wasm", import.meta.url)) });

export * from "./api.js";
