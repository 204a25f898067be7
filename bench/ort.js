// Plays a model in ONNX Runtime: reads requests, a JSON object a line, and answers each with one. See player.go.
// usage: node ort.js FOLDER, whose node_modules has onnxruntime-node
'use strict';
const fs = require('fs'), path = require('path'), readline = require('readline');
const library = require('module').createRequire(path.resolve(process.argv[2]) + '/');
const arrays = { float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array,
  int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, float16: Uint16Array, bool: Uint8Array };

let ort, session, feeds;

function peakMemory() {
  try {
    return +/VmHWM:\s+(\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1] / 1024;
  } catch {
    return 0;
  }
}

const requests = {
  async load({ model, threads, inputs, exact }) {
    ort = library('onnxruntime-node');
    const extra = exact ? { session: { x64quantprecision: '1' } } : {}; // else sums of products of bytes may saturate
    const begin = performance.now();
    session = await ort.InferenceSession.create(model, { intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential',
      graphOptimizationLevel: 'all', logSeverityLevel: 3, executionProviders: ['cpu'], extra });
    const load = performance.now() - begin;
    feeds = {};
    for (const { name, dtype, shape, file } of inputs) {
      const bytes = fs.readFileSync(file);
      feeds[name] = new ort.Tensor(dtype, new arrays[dtype](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), shape);
    }
    return { load_ms: load, version: `ONNX Runtime ${library('onnxruntime-node/package.json').version}, Node ${process.versions.node}` };
  },

  async run({ least, ms }) {
    await session.run(feeds);
    const times = [], before = process.cpuUsage(), end = performance.now() + ms;
    while (times.length < least || performance.now() < end) {
      const begin = performance.now();
      await session.run(feeds);
      times.push(performance.now() - begin);
    }
    const cpu = process.cpuUsage(before);
    return { times_ms: times, cpu_ms: (cpu.user + cpu.system) / 1e3 / times.length, rss_mb: peakMemory() };
  },

  async outputs({ folder }) {
    const results = await session.run(feeds), outputs = [];
    for (const name of session.outputNames) {
      const { type, dims, data } = results[name], file = path.join(folder, `ort-${outputs.length}.bin`);
      fs.writeFileSync(file, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
      outputs.push({ name, dtype: type, shape: dims, file });
    }
    return { outputs };
  },
};

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let answer;
    try {
      const request = JSON.parse(line);
      answer = await requests[request.do](request);
    } catch (e) {
      answer = { error: String(e.message || e) };
    }
    process.stdout.write(JSON.stringify(answer) + '\n');
  }
  process.exit(0);
})();
