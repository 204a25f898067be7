// Runs the graph of a folder by three threads, by two as a helper has ended, in a run that is given up, and alone. It prints hashes of the outputs, and how many
// helpers there are.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const threads = process.getBuiltinModule("node:worker_threads");
const helpers = new Set();
threads.Worker = class extends threads.Worker {
  constructor(...options) {
    super(...options);
    helpers.add(this);
  }
  terminate() {
    helpers.delete(this);
    return super.terminate();
  }
};

const read = (name) => readFileSync(`${process.argv[2]}/${name}`);
const url = pathToFileURL(`${process.argv[2]}/pool.mjs`);
const { Pool } = await import(url);
const { pages, weights, input, output, bytes } = JSON.parse(read("places"));
const pool = new Pool(3, url);
const graph = await pool.add(await WebAssembly.compile(read("code")), new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }), 3);
const memory = () => new Uint8Array(graph.exports.memory.buffer);
memory().set(read("weights"), weights);
graph.exports.reset();

function run() {
  memory().set(read("x"), input);
  try {
    pool.run(graph);
    console.log(createHash("sha256").update(memory().slice(output, output + bytes)).digest("hex"), helpers.size);
  } catch (e) {
    console.log(String(e));
  }
}

run();
await [...helpers][0].terminate();
const module = await WebAssembly.compile(read("code")); // helpers are asked for an answer
await pool.remove(await pool.add(module, new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }), 3));
run();
const { exports } = graph;
graph.exports = {
  ...exports,
  run() {
    throw new WebAssembly.RuntimeError("unreachable");
  },
  fail() {
    exports.fail();
    return 1;
  },
};
run();
run();
pool.close();
