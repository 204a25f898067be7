// Runs the model that lies in a folder in every way it can be loaded, without relaxed SIMD and with it, and prints hashes of what it yields.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";

const dir = process.argv[2];
const { download, load } = await import(pathToFileURL(`${dir}/net.js`));
const bytes = readFileSync(`${dir}/x.bin`);
const x = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const hash = (y) => createHash("sha256").update(y).digest("hex");

async function tried(options) {
  const model = await load(options.posted ? structuredClone(await download()) : options);
  const runs = [await model.run({ x }), await model.run({ x })];
  await model.reset();
  runs.push(await model.run({ x }));
  const errors = [];
  for (const inputs of [{ x, z: x }, {}, { x: [1, 2] }]) {
    try {
      await model.run(inputs);
    } catch (e) {
      errors.push(String(e));
    }
  }
  model.close();
  const { exact, threads } = model;
  return { options, exact, threads, runs: runs.map(({ y }) => hash(y)), errors };
}

const results = [];
for (const flag of ["--no-experimental-wasm-relaxed-simd", "--experimental-wasm-relaxed-simd"]) {
  setFlagsFromString(flag); // newer engines have relaxed SIMD in any case
  for (const options of [{}, { exact: true }, { threads: 2, exact: false }, { threads: 3, exact: true }, { worker: true, threads: 2 }, { posted: true }]) {
    results.push(await tried(options));
  }
}

// An answer that is under way when the worker is ended.
const model = await load({ worker: true });
const late = model.run({ x });
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
model.close();
await late.catch(() => {});
await new Promise((resolve) => setTimeout(resolve, 10));
process.stdout.write(JSON.stringify(results));
