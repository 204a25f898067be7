// Runs ONNX models with ONNX Runtime: the second opinion of tests, see doc.go.
//
//     NODE_PATH=…/node_modules node compare.mjs < models > results
//
// A line of the input is a JSON object { model, inputs, level }: the file in base64; for each input { type, dims, data }, with the bytes of
// the elements in base64; the level of optimization. The line of the output that answers it is { outputs } of the same form, or
// { stage, error }. The package onnxruntime-node is looked for in NODE_PATH. A model that ends the process has no answer; whoever reads them
// sees that and goes on behind it.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';

const ort = createRequire(process.cwd() + '/')('onnxruntime-node');
ort.env.logLevel = 'fatal';

const arrays = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, bool: Uint8Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
};

function decode({ type, dims, data }) {
  const bytes = Uint8Array.from(Buffer.from(data, 'base64')); // aligned
  return new ort.Tensor(type, new arrays[type](bytes.buffer), dims);
}

function encode({ type, dims, data }) {
  if (dims.includes(0)) return { type, dims, data: '' };
  return { type, dims, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64') };
}

const each = (object, f) => Object.fromEntries(Object.entries(object).map(([k, v]) => [k, f(v)]));

async function answer({ model, inputs, level }) {
  let stage = 'load';
  try {
    const session = await ort.InferenceSession.create(Buffer.from(model, 'base64'), {
      graphOptimizationLevel: level, intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4,
    });
    stage = 'run';
    const outputs = each(await session.run(each(inputs, decode)), encode);
    await session.release();
    return { outputs };
  } catch (e) {
    return { stage, error: String(e.message ?? e) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  writeSync(1, JSON.stringify(await answer(JSON.parse(line))) + '\n');
}
