// Runs the model that lies in a folder, and prints what it yields.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const dir = process.argv[2];
const { load } = await import(pathToFileURL(`${dir}/net.js`));
const model = await load();
const bytes = readFileSync(`${dir}/x.bin`);
const x = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const text = (y) => Buffer.from(y.buffer, y.byteOffset, y.byteLength).toString("base64");
const runs = [model.run({ x }), model.run({ x })];
model.reset();
runs.push(model.run({ x }));
const errors = [{ x, z: x }, {}, { x: [1, 2] }].map((inputs) => {
  try {
    model.run(inputs);
  } catch (e) {
    return String(e);
  }
});
process.stdout.write(JSON.stringify({ exact: model.exact, runs: runs.map(({ y }) => text(y)), errors }));
