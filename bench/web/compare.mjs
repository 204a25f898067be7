// Times models in WebAssembly beside onnxruntime-web, in Node, both on one thread and in turns:
//
//   npm install --ignore-scripts onnxruntime-web     in any folder
//   go build -o concord ./cmd/concord
//   node --experimental-wasm-relaxed-simd bench/web/compare.mjs --concord ./concord --ort FOLDER/node_modules MODEL.onnx…
//
// It prints for each model the medians and least times in milliseconds, their ratios (below 1 is faster), and whether the first outputs are near.
// --exact takes the module without relaxed SIMD; --rounds N, 20 by default, says how often each model runs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";

const { values: flags, positionals: models } = parseArgs({
  allowPositionals: true,
  options: { concord: { type: "string" }, ort: { type: "string" }, rounds: { type: "string", default: "20" }, exact: { type: "boolean", default: false } },
});
if (!flags.concord || !flags.ort || models.length === 0) {
  console.error("usage: node compare.mjs --concord BINARY --ort node_modules [--rounds N] [--exact] MODEL.onnx…");
  process.exit(2);
}
const ort = await import(pathToFileURL(resolve(flags.ort, "onnxruntime-web/dist/ort.node.min.mjs")));
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const least = (list) => Math.min(...list);

async function timed(list, run) {
  const began = performance.now();
  const y = await run();
  list.push(performance.now() - began);
  return y;
}

async function compare(path) {
  const dir = mkdtempSync(join(tmpdir(), "concord-web-"));
  try {
    execFileSync(flags.concord, ["export", "--wasm", path, "-o", dir, "--name", "model"], { stdio: ["ignore", "ignore", "inherit"] });
    const { load } = await import(pathToFileURL(join(dir, "model.js")));
    const model = await load(flags.exact ? { exact: true } : {});
    const session = await ort.InferenceSession.create(readFileSync(path), { executionProviders: ["wasm"], logSeverityLevel: 3 });
    const ours = {};
    const theirs = {};
    model.inputs.forEach(({ name, type, shape }, i) => {
      const n = shape.reduce((a, b) => a * b, 1);
      if (type !== "float32") {
        throw new Error(`input ${name} is ${type}; only float32 is drawn`);
      }
      ours[name] = Float32Array.from({ length: n }, (_, k) => (((k * 7919 + 13) % 1009) / 1009) * 2 - 1);
      theirs[session.inputNames[i]] = new ort.Tensor("float32", ours[name], shape);
    });
    const times = [[], []];
    let outputs;
    for (let round = 0; round < Number(flags.rounds); round++) {
      const y = await timed(times[0], async () => model.run(ours));
      const z = await timed(times[1], () => session.run(theirs));
      outputs ??= [Object.values(y)[0], z[session.outputNames[0]].data];
    }
    const [a, b] = outputs;
    const near = a.length === b.length && a.every((x, i) => Math.abs(x - b[i]) <= 1e-3 + 1e-2 * Math.abs(b[i]));
    const [x, y] = times;
    console.log(
      `${basename(path)}${model.exact ? " (exact)" : ""}: median ${median(x).toFixed(1)} and ${median(y).toFixed(1)} ms, ratio ${(median(x) / median(y)).toFixed(2)}; ` +
        `least ${least(x).toFixed(1)} and ${least(y).toFixed(1)} ms, ratio ${(least(x) / least(y)).toFixed(2)}${near ? "" : "; THE OUTPUTS DIFFER"}`,
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
}

for (const path of models) {
  await compare(path);
}
