// Runs the package in Node: the interface and its errors, and a module that concord export has written, whose output it prints.
// Arguments: the folder of the package, the module, its weights and its input.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Worker as Thread } from "node:worker_threads";

globalThis.Worker = class {
  #thread;

  constructor(url) {
    this.#thread = new Thread(new URL("worker.mjs", import.meta.url), { workerData: url.href });
    this.#thread.on("message", (data) => this.onmessage({ data }));
    this.#thread.on("error", (error) => this.onerror({ message: error.message }));
  }

  postMessage(message, transfer) {
    this.#thread.postMessage(message, transfer);
  }

  terminate() {
    this.#thread.terminate();
  }
};

const [folder, exported, weights, input] = process.argv.slice(2);
const { install, levelOf } = await import(`${pathToFileURL(folder)}/concord-webnn.js`);
assert.throws(() => install({ always: true, level: "exact" }), TypeError);
const ml = install({ always: true });
const descriptor = { dataType: "float32", shape: [2, 2] };
const throws = (name, message) => (e) => e.name === name && (e instanceof TypeError || e instanceof DOMException) && e.message.includes(message);

await assert.rejects(ml.createContext({ powerPreference: "much" }), throws("TypeError", "powerPreference"));
const context = await ml.createContext({ accelerated: false });
globalThis.GPUDevice = class { get powerPreference() { throw new Error("a device is no dictionary"); } };
(await ml.createContext(new GPUDevice())).destroy();
assert.equal(String(context), "[object MLContext]");
assert.equal(context.accelerated, false);
assert.ok(["fused", "emulated"].includes(levelOf(context)));
assert.deepEqual(context.opSupportLimits().input.rankRange, { min: 0, max: 8 });
assert.throws(() => new MLContext(), throws("TypeError", "Illegal constructor"));
assert.throws(() => MLContext.prototype.accelerated, throws("TypeError", "Illegal invocation"));
await assert.rejects(MLContext.prototype.createTensor({}), throws("TypeError", "Illegal invocation"));
await assert.rejects(context.createTensor({ dataType: "float32" }), throws("TypeError", "shape"));

// Workers that cannot be started, and tensors for which they lack memory: what was not made takes none in the checker, either.
const { Worker: starts } = globalThis;
globalThis.Worker = class { constructor() { throw new DOMException("not here", "SecurityError"); } };
await assert.rejects(ml.createContext(), throws("NotSupportedError", "not here"));
const lone = new MLGraphBuilder(context);
await assert.rejects(lone.build({ y: lone.relu(lone.input("x", descriptor)) }), throws("OperationError", "not here"));
globalThis.Worker = starts;
const { postMessage } = starts.prototype;
starts.prototype.postMessage = function (message, transfer) {
  postMessage.call(this, message.do === "create" ? { ...message, content: -1 } : message, transfer);
};
for (let i = 0; i < 6; i++) {
  await assert.rejects(context.createTensor({ dataType: "float32", shape: [2 ** 28] }), throws("UnknownError", "typed array length"));
}
starts.prototype.postMessage = postMessage;

// A call that is too long to be read. The context stays.
assert.throws(() => new MLGraphBuilder(context).input("x".repeat(2 ** 28), descriptor), throws("UnknownError", "bytes"));

// The standard's first example: C = 0.2 * A + B.
const builder = new MLGraphBuilder(context);
const A = builder.input("A", descriptor);
const B = builder.input("B", descriptor);
const scale = await context.createConstantTensor(descriptor, new Float32Array(4).fill(0.2));
const C = builder.add(builder.mul(A, builder.constant(scale)), B);
scale.destroy();
assert.ok(Object.isFrozen(C.shape));
assert.throws(() => builder.softmax(A, 2, { label: "soft" }), throws("TypeError", "[soft]"));
assert.throws(() => builder.softmax(A), throws("TypeError", "arguments"));
assert.throws(() => builder.clamp(A, { minValue: Symbol("no") }), TypeError);
assert.throws(() => builder.constant(descriptor, new Float32Array(3)), throws("TypeError", "12 bytes"));
assert.throws(() => builder.constant(descriptor, new Float32Array(new ArrayBuffer(16, { maxByteLength: 32 }))), throws("TypeError", "resizable"));
await assert.rejects(builder.build({ A }), throws("TypeError", "is an input"));
const graph = await builder.build({ C });
assert.throws(() => builder.relu(A), throws("InvalidStateError", "has built"));

const [a, b, c] = await Promise.all([
  context.createTensor({ ...descriptor, writable: true }),
  context.createTensor({ ...descriptor, writable: true }),
  context.createTensor({ ...descriptor, readable: true }),
]);
context.writeTensor(a, new Float32Array(4).fill(1));
context.writeTensor(b, new Float32Array(4).fill(0.8));
context.dispatch(graph, { A: a, B: b }, { C: c });
assert.deepEqual([...new Float32Array(await context.readTensor(c))], [1, 1, 1, 1]);
const into = new Float32Array(6);
await context.readTensor(c, into.subarray(1));
assert.deepEqual([...into], [0, 1, 1, 1, 1, 0]);

const gone = new Float32Array(4);
const reading = context.readTensor(c, gone);
structuredClone(gone.buffer, { transfer: [gone.buffer] });
await assert.rejects(reading, TypeError);
const destroyed = context.readTensor(c);
c.destroy();
await assert.rejects(destroyed, throws("InvalidStateError", "destroyed"));
assert.throws(() => context.writeTensor(a, new ArrayBuffer(0)), TypeError);

// Lists of results, names that are no identifiers, and integers of 64 bits.
const lists = new MLGraphBuilder(context);
const parts = lists.split(lists.input("$x", { dataType: "int64", shape: [3] }), 3);
const big = lists.add(parts[2], lists.constant("int64", 2n ** 62n));
const listed = await lists.build({ "$y": big });
const x = await context.createTensor({ dataType: "int64", shape: [3], writable: true });
const y = await context.createTensor({ dataType: "int64", shape: [1], readable: true });
context.writeTensor(x, BigInt64Array.of(0n, 1n, 2n));
context.dispatch(listed, { "$x": x }, { "$y": y });
assert.deepEqual([...new BigInt64Array(await context.readTensor(y))], [2n ** 62n + 2n]);

// Names that objects of JavaScript, or options, have already.
const own = new MLGraphBuilder(context);
const taken = ["__proto__", "label", "toString"];
const signs = await own.build(Object.fromEntries(taken.map((name) => [name, own.neg(own.input(name, descriptor))])));
const tensorsOf = async (options) => Object.fromEntries(await Promise.all(taken.map(async (name) => [name, await context.createTensor({ ...descriptor, ...options })])));
const [given, yielded] = [await tensorsOf({ writable: true }), await tensorsOf({ readable: true })];
taken.forEach((name, i) => context.writeTensor(given[name], new Float32Array(4).fill(i + 1)));
context.dispatch(signs, given, yielded);
for (const [i, name] of taken.entries()) {
  assert.equal(new Float32Array(await context.readTensor(yielded[name]))[3], -i - 1);
}

// What waits when its context is destroyed is rejected.
const other = await ml.createContext();
const building = new MLGraphBuilder(other);
const pending = [building.build({ y: building.relu(building.input("x", descriptor)) }), other.createTensor(descriptor)];
other.destroy();
for (const p of pending) {
  await assert.rejects(p, throws("InvalidStateError", "destroy was called"));
}
assert.deepEqual(await other.lost, { message: "destroy was called" });
assert.throws(() => new MLGraphBuilder(other), throws("InvalidStateError", "lost"));

// The program on the page fails, and is loaded once by two that need it again.
const { encodeInto } = TextEncoder.prototype;
TextEncoder.prototype.encodeInto = () => { throw new RangeError("no memory"); };
await assert.rejects(ml.createContext(), throws("NotSupportedError", "no memory"));
TextEncoder.prototype.encodeInto = encodeInto;
assert.equal((await context.lost).message, "the program has failed: no memory");
const { compileStreaming } = WebAssembly;
let loads = 0;
WebAssembly.compileStreaming = (response) => (loads++, compileStreaming(response));
const anew = await Promise.all([ml.createContext(), ml.createContext()]);
assert.equal(loads, 1);

if (exported) {
  const { buildGraph, inputs, outputs } = await import(pathToFileURL(exported));
  const [context] = anew;
  const { graph: network } = await buildGraph(context, new Uint8Array(readFileSync(weights)).buffer);
  const from = await context.createTensor({ ...inputs.x, writable: true });
  const to = await context.createTensor({ ...outputs.y, readable: true });
  context.writeTensor(from, new Uint8Array(readFileSync(input)));
  context.dispatch(network, { x: from }, { y: to });
  process.stdout.write(Buffer.from(await context.readTensor(to)).toString("base64"));
}
process.exit(0);
