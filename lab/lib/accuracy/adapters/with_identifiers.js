// identifiers-doi of Altmetric.
const {extract} = require('identifiers-doi');
const lines = require('fs').readFileSync(0, 'utf8').trimEnd().split('\n');
for (const {id, text} of lines.map(line => JSON.parse(line))) console.log(JSON.stringify({id, names: extract(text)}));
