// What a page may throw at navigator.ml, and the error that the standard names for it. No promise may stay pending.

const vector = (n = 4) => ({ dataType: "float32", shape: [n] });
const detached = (bytes) => {
  const buffer = new ArrayBuffer(bytes);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
};
const shared = (bytes) => new WebAssembly.Memory({ shared: true, initial: Math.ceil(bytes / 65536), maximum: 65536 }).buffer;

// all says what each of some promises comes to.
const all = async (...promises) => (await Promise.allSettled(promises)).map((p) => p.reason?.name ?? "ok").join(" ");

const thrown = (f) => {
  try {
    f();
    return "ok";
  } catch (e) {
    return e.name;
  }
};

// setup makes a graph y = relu(x), and its tensors.
async function setup(n = 4) {
  const context = await navigator.ml.createContext();
  const builder = new MLGraphBuilder(context);
  const graph = await builder.build({ y: builder.relu(builder.input("x", vector(n))) });
  const x = await context.createTensor({ ...vector(n), writable: true });
  const y = await context.createTensor({ ...vector(n), readable: true });
  return { context, graph, x, y, run: () => context.dispatch(graph, { x }, { y }) };
}

// heavy makes a graph that computes for some time.
async function heavy() {
  const context = await navigator.ml.createContext();
  const builder = new MLGraphBuilder(context);
  const square = { dataType: "float32", shape: [512, 512] };
  let v = builder.input("x", square);
  for (let i = 0; i < 8; i++) {
    v = builder.matmul(v, v);
  }
  const outputs = { y: v };
  const x = await context.createTensor({ ...square, writable: true });
  const y = await context.createTensor({ ...square, readable: true });
  return { context, builder, outputs, x, y };
}

// works says whether a context still computes.
async function works() {
  const { context, run, x, y } = await setup();
  context.writeTensor(x, Float32Array.of(-1, 0, 1, 2));
  run();
  const values = new Float32Array(await context.readTensor(y)).join();
  context.destroy();
  return values;
}

// chain builds a graph of n operands, one behind the other.
async function chain(n, options = {}) {
  const context = await navigator.ml.createContext();
  const builder = new MLGraphBuilder(context);
  let v = builder.input("x", vector());
  for (let i = 0; i < n; i++) {
    v = builder.add(v, v);
  }
  const building = builder.build({ y: v });
  if (options.destroy) {
    context.destroy();
  }
  const result = await all(building);
  context.destroy();
  return result;
}

export const cases = [
  ["a graph", "0,0,1,2", works],

  ["constant() of a detached buffer", "TypeError", async () => {
    const builder = new MLGraphBuilder(await navigator.ml.createContext());
    builder.constant(vector(), detached(16));
  }],
  ["writeTensor() of a detached buffer", "TypeError", async () => {
    const { context, x } = await setup();
    context.writeTensor(x, detached(16));
  }],
  ["writeTensor() of a view of a detached buffer", "TypeError", async () => {
    const { context, x } = await setup();
    const view = new Float32Array(4);
    structuredClone(view.buffer, { transfer: [view.buffer] });
    context.writeTensor(x, view);
  }],
  ["createConstantTensor() of a detached buffer", "TypeError", async () => {
    const context = await navigator.ml.createContext();
    await context.createConstantTensor(vector(), detached(16));
  }],
  ["readTensor() into a detached buffer", "TypeError", async () => {
    const { context, y } = await setup();
    await context.readTensor(y, detached(16));
  }],
  ["readTensor() into a buffer that is detached meanwhile", "TypeError", async () => {
    const { context, y } = await setup();
    const buffer = new ArrayBuffer(16);
    const reading = context.readTensor(y, buffer);
    structuredClone(buffer, { transfer: [buffer] });
    await reading;
  }],
  ["readTensor() into a buffer that is too short", "TypeError", async () => {
    const { context, y } = await setup();
    await context.readTensor(y, new ArrayBuffer(15));
  }],
  ["a resizable buffer", "TypeError", async () => {
    const { context, x } = await setup();
    context.writeTensor(x, new ArrayBuffer(16, { maxByteLength: 32 }));
  }],
  ["shared buffers", "1,2,3,4", async () => {
    const context = await navigator.ml.createContext();
    const builder = new MLGraphBuilder(context);
    const memory = new Float32Array(shared(65536), 0, 4);
    memory.set([1, 2, 3, 4]);
    const c = builder.constant(vector(), memory);
    memory.fill(9); // the builder has taken a copy
    const graph = await builder.build({ y: builder.add(c, builder.input("x", vector())) });
    memory.fill(0);
    const x = await context.createTensor({ ...vector(), writable: true });
    const y = await context.createTensor({ ...vector(), readable: true });
    context.writeTensor(x, memory);
    memory.fill(9);
    context.dispatch(graph, { x }, { y });
    await context.readTensor(y, memory);
    return memory.join();
  }],
  ["a buffer that is written after it was given", "1,2,3,4", async () => {
    const { context, x, y, run } = await setup();
    const values = Float32Array.of(1, 2, 3, 4);
    context.writeTensor(x, values);
    values.fill(9);
    run();
    return new Float32Array(await context.readTensor(y)).join();
  }],

  ["a context that is destroyed while it computes", "InvalidStateError InvalidStateError ok", async () => {
    const { context, builder, outputs, x, y } = await heavy();
    const graph = await builder.build(outputs);
    for (let i = 0; i < 20; i++) {
      context.dispatch(graph, { x }, { y });
    }
    const first = context.readTensor(y);
    const second = context.readTensor(y, new ArrayBuffer(y.shape[0] * y.shape[1] * 4));
    context.destroy();
    return all(first, second, context.lost);
  }],
  ["a context that is destroyed while it builds", "InvalidStateError ok", async () => {
    const { context, builder, outputs } = await heavy();
    const building = builder.build(outputs);
    context.destroy();
    return all(building, context.lost);
  }],
  ["a context that is destroyed while it builds, later", "InvalidStateError", async () => {
    const { context, builder, outputs } = await heavy();
    const building = builder.build(outputs);
    await new Promise((r) => setTimeout(r));
    context.destroy();
    return all(building);
  }],
  ["a context that is destroyed while it makes tensors", "InvalidStateError InvalidStateError", async () => {
    const context = await navigator.ml.createContext();
    const made = [context.createTensor(vector()), context.createConstantTensor(vector(), new Float32Array(4))];
    context.destroy();
    return all(...made);
  }],
  ["calls on a destroyed context", "InvalidStateError InvalidStateError InvalidStateError", async () => {
    const { context, run, x } = await setup();
    context.destroy();
    context.destroy();
    const made = await all(context.createTensor(vector()));
    return [made, thrown(run), thrown(() => context.writeTensor(x, new Float32Array(4)))].join(" ");
  }],
  ["a tensor that is destroyed while it is read", "InvalidStateError", async () => {
    const { context, run, y } = await setup();
    run();
    const reading = context.readTensor(y);
    y.destroy();
    return all(reading);
  }],
  ["a tensor that is destroyed behind a dispatch", "ok", async () => {
    const { context, run, x, y } = await setup();
    run();
    x.destroy();
    return all(context.readTensor(y));
  }],
  ["a graph that is destroyed behind a dispatch", "ok", async () => {
    const { context, run, graph, y } = await setup();
    run();
    graph.destroy();
    return all(context.readTensor(y));
  }],
  ["a dispatch of a destroyed graph", "InvalidStateError", async () => {
    const { run, graph } = await setup();
    graph.destroy();
    run();
  }],
  ["tensors of another context", "TypeError", async () => {
    const one = await setup();
    const other = await setup();
    one.context.dispatch(one.graph, { x: other.x }, { y: one.y });
  }],

  ["a graph of 5,000 operands", "ok", () => chain(5000)],
  ["a graph of 5,000 operands, destroyed", "InvalidStateError", () => chain(5000, { destroy: true })],
  ["a tensor beyond the limit", "TypeError", async () => {
    const context = await navigator.ml.createContext();
    await context.createTensor(vector(context.opSupportLimits().maxTensorByteLength / 4 + 1));
  }],
  ["a constant with too little behind it", "TypeError", async () => {
    const builder = new MLGraphBuilder(await navigator.ml.createContext());
    builder.constant(vector(2 ** 28), new Float32Array(1));
  }],
  ["a graph that needs more than a module can address", "OperationError", async () => {
    const context = await navigator.ml.createContext();
    const builder = new MLGraphBuilder(context);
    const [a, b] = ["a", "b"].map((name) => builder.input(name, vector(2 ** 29 - 1)));
    await builder.build({ y: builder.add(a, b) });
  }],
  ["tensors until memory is used up", "ends", async () => {
    const context = await navigator.ml.createContext();
    const made = [];
    for (let i = 0; i < 8; i++) {
      made.push(context.createTensor(vector(2 ** 29 - 1))); // 2 GiB each
    }
    const ends = await Promise.allSettled(made);
    const names = new Set(ends.filter((e) => e.reason).map((e) => e.reason.name));
    context.destroy();
    const expected = [...names].every((n) => n === "UnknownError" || n === "InvalidStateError");
    return expected ? "ends" : [...names].join(" ");
  }],
  ["a graph after that", "0,0,1,2", works],
];

// huge are cases that need minutes, or gigabytes of memory.
export const huge = [
  ["a graph of 100,000 operands, which are more than the compiler takes", "OperationError", () => chain(100000)],
  ["a graph of 100,000 operands, destroyed", "InvalidStateError", () => chain(100000, { destroy: true })],
  ["a constant of a gigabyte", "ends", async () => {
    const context = await navigator.ml.createContext();
    const builder = new MLGraphBuilder(context);
    const n = 2 ** 28;
    const c = builder.constant(vector(n), new Float32Array(n).fill(1));
    const end = await all(builder.build({ y: builder.relu(builder.add(c, builder.input("x", vector(n)))) }));
    context.destroy();
    return end === "ok" || end === "OperationError" ? "ends" : end;
  }],
];
