// Compiles sessions by a built package and prints what comes out: hashes.mjs PACKAGE CASES, where CASES has NAME.json and NAME.bin. A line is the name and
// the SHA-256 of module and weights, or the message of an error.

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder, cases] = process.argv;
const from = (name) => import(pathToFileURL(resolve(folder, name)));
const { Go } = await from("go.js");
const { Program } = await from("program.js");
const program = await Program.start(Go, await WebAssembly.compile(await readFile(join(folder, "concord.wasm"))));
for (const file of (await readdir(cases)).filter((name) => name.endsWith(".json"))) {
  const name = file.slice(0, -".json".length);
  const text = await readFile(join(cases, file), "utf8");
  const weights = new Uint8Array(await readFile(join(cases, `${name}.bin`))).buffer;
  const { code, weights: packed, error } = program.callJSON("compile", text, [weights], 1);
  const hash = createHash("sha256");
  if (error === undefined) {
    hash.update(program.bytes(...code)).update(program.bytes(...packed));
  }
  console.log(`${name} ${error ?? hash.digest("hex")}`);
}
process.exit(0); // the program waits for calls
