// Asks a server by @grpc/grpc-js: node grpc-js.mjs ADDRESS PACKAGES [PROTO]
//
// The server must have the model "small", y = relu(x) of FP32 [1,256]. PACKAGES is a folder where npm install @grpc/grpc-js @grpc/proto-loader was run.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const [address, packages, proto = fileURLToPath(new URL('../internal/rpc/inference.proto', import.meta.url))] = process.argv.slice(2);
const require = createRequire(path.resolve(packages, 'x.js'));
const grpc = require('@grpc/grpc-js');
const definition = require('@grpc/proto-loader').loadSync(proto, { keepCase: true, longs: Number, defaults: true, oneofs: true });
const { inference } = grpc.loadPackageDefinition(definition);
const client = new inference.GRPCInferenceService(address, grpc.credentials.createInsecure());
const call = (method, request = {}, options = {}) =>
  new Promise((resolve, reject) => client[method](request, { deadline: Date.now() + 10_000, ...options }, (err, answer) => (err ? reject(err) : resolve(answer))));
const fails = (code, promise) => assert.rejects(promise, (err) => err.code === code && err.details !== '');

assert.ok((await call('ServerLive')).live);
assert.ok((await call('ServerReady')).ready);
assert.equal((await call('ServerMetadata')).name, 'concord');
assert.ok((await call('ModelReady', { name: 'small' })).ready);
assert.deepEqual((await call('ModelMetadata', { name: 'small' })).inputs, [{ name: 'x', datatype: 'FP32', shape: [1, 256] }]);
assert.equal((await call('ModelConfig', { name: 'small' })).config.input[0].data_type, 11);
assert.equal((await call('RepositoryIndex', { ready: true })).models[0].state, 'READY');
await fails(grpc.status.NOT_FOUND, call('ModelMetadata', { name: 'none' }));

const x = Float32Array.from({ length: 256 }, (_, i) => (i - 128) / 8);
const y = x.map((v) => Math.max(v, 0));
const tensor = { name: 'x', datatype: 'FP32', shape: [1, 256] };
const raw = { model_name: 'small', id: '17', inputs: [tensor], raw_input_contents: [Buffer.from(x.buffer)], parameters: { priority: { int64_param: 0 } } };
const floats = (b) => new Float32Array(Uint8Array.from(b).buffer);

let answer = await call('ModelInfer', raw);
assert.equal(answer.id, '17');
assert.deepEqual(floats(answer.raw_output_contents[0]), y);
answer = await call('ModelInfer', { model_name: 'small', inputs: [{ ...tensor, contents: { fp32_contents: [...x] } }] });
assert.deepEqual(Float32Array.from(answer.outputs[0].contents.fp32_contents), y);
const zipped = new inference.GRPCInferenceService(address, grpc.credentials.createInsecure(), { 'grpc.default_compression_algorithm': 2 });
await new Promise((resolve, reject) => zipped.ModelInfer(raw, (err, a) => (err ? reject(err) : resolve(assert.deepEqual(floats(a.raw_output_contents[0]), y)))));
zipped.close();
await fails(grpc.status.INVALID_ARGUMENT, call('ModelInfer', { ...raw, raw_input_contents: [] }));
await Promise.all(Array.from({ length: 200 }, () => call('ModelInfer', raw)));

const ids = [];
await new Promise((resolve, reject) => {
  const stream = client.ModelStreamInfer({ deadline: Date.now() + 10_000 });
  stream.on('data', (a) => ids.push([a.infer_response.id, a.error_message !== '']));
  stream.on('error', reject);
  stream.on('end', resolve);
  for (let i = 0; i < 10; i++) stream.write({ ...raw, id: String(i), model_name: i === 3 ? 'none' : 'small' });
  stream.end();
});
assert.deepEqual(ids, Array.from({ length: 10 }, (_, i) => [String(i), i === 3]));
client.close();
const version = (name) => require(path.resolve(packages, 'node_modules', name, 'package.json')).version;
console.log('grpc-js', version('@grpc/grpc-js'), 'proto-loader', version('@grpc/proto-loader'), 'node', process.versions.node);
