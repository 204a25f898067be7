// Reads a script of words from a file, and checks it against numbers that are known.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const { wordOf, numberOf } = new Function(`${readFileSync(process.argv[2], "utf8")}\nreturn { wordOf, numberOf };`)();
for (const type of ["float16", "bfloat16"]) {
  for (let word = 0; word < 65536; word++) {
    const x = numberOf(type, word);
    if (x === x && wordOf(type, x) !== word) {
      assert.fail(`${type} ${word} is ${x}`);
    }
  }
}
const known = [
  ["float16", 1, 0x3c00], ["float16", -2, 0xc000], ["float16", 0.1, 0x2e66], ["float16", 65504, 0x7bff], ["float16", 65519, 0x7bff], ["float16", 65520, 0x7c00],
  ["float16", 1e9, 0x7c00], ["float16", 2 ** -24, 1], ["float16", 2 ** -25, 0], ["float16", 1 + 2 ** -11, 0x3c00], ["float16", 1 + 3 * 2 ** -11, 0x3c02],
  ["bfloat16", 1, 0x3f80], ["bfloat16", -3.140625, 0xc049], ["bfloat16", 1e39, 0x7f80], ["bfloat16", 1 + 2 ** -8, 0x3f80],
];
for (const [type, x, word] of known) {
  assert.equal(wordOf(type, x), word, `${type} ${x}`);
}
assert.equal(numberOf("uint16", 0x3c00), 0x3c00);
assert.equal(numberOf("int64", 3n), 3);
assert.ok(Number.isNaN(numberOf("float16", 0x7e00)));
