// Runs the standard's first example under node, in both ways, and prints what came of it as JSON.
// Arguments: wasm_exec.js, main.wasm and shell.js as a module.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [exec, wasm, shell] = process.argv.slice(2);
await import(pathToFileURL(exec));
const { connect } = await import(pathToFileURL(shell));
const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), go.importObject);
go.run(instance);
const { ml, MLContext, MLGraphBuilder, MLOperand, SessionBuilder } = connect(globalThis.concordWebNN);

const context = await ml.createContext();
const descriptor = { dataType: 'float32', shape: [2, 2] };

async function example(Builder) {
  const builder = new Builder(context);
  const constant = builder.constant('float32', 0.2);
  const A = builder.input('A', descriptor), B = builder.input('B', descriptor);
  const C = builder.add(builder.mul(A, constant), B);
  const graph = await builder.build({ C });
  const tensorA = await context.createTensor({ ...descriptor, writable: true });
  const tensorB = await context.createTensor({ ...descriptor, writable: true });
  const tensorC = await context.createTensor({ ...descriptor, readable: true });
  context.writeTensor(tensorA, new Float32Array(4).fill(1));
  context.writeTensor(tensorB, new Float32Array(4).fill(0.8));
  context.dispatch(graph, { A: tensorA, B: tensorB }, { C: tensorC });
  const into = new Float32Array(6);
  await context.readTensor(tensorC, into.subarray(1, 5));
  return { read: [...new Float32Array(await context.readTensor(tensorC))], into: [...into] };
}

async function lists(Builder) {
  const builder = new Builder(context);
  const x = builder.input('$x', { dataType: 'int32', shape: [3] });
  const [, , last] = builder.split(x, 3);
  const graph = await builder.build({ $y: builder.add(last, builder.constant('int32', 40)) });
  const input = await context.createTensor({ dataType: 'int32', shape: [3], writable: true });
  const output = await context.createTensor({ dataType: 'int32', shape: [1], readable: true });
  context.writeTensor(input, Int32Array.of(0, 1, 2));
  context.dispatch(graph, { $x: input }, { $y: output });
  return [...new Int32Array(await context.readTensor(output))];
}

// A list that is passed on as a whole.
async function joined() {
  const builder = new SessionBuilder(context);
  const x = builder.input('x', { dataType: 'int32', shape: [3] });
  const graph = await builder.build({ y: builder.concat(builder.split(x, [1, 2]), 0) });
  const x3 = { dataType: 'int32', shape: [3] };
  const input = await context.createTensor({ ...x3, writable: true });
  const output = await context.createTensor({ ...x3, readable: true });
  context.writeTensor(input, Int32Array.of(0, 1, 2));
  context.dispatch(graph, { x: input }, { y: output });
  return [...new Int32Array(await context.readTensor(output))];
}

async function failure(f) {
  try { await f(); } catch (e) { return `${e.name}: ${e.message}`; }
  return 'none';
}

const b = new MLGraphBuilder(context);
const s = new SessionBuilder(context);
const x = s.gelu(s.input('x', descriptor), { label: 'act' });
const isOperand = (o) => o instanceof MLOperand && !(o instanceof MLContext) && JSON.stringify(o) === '{}' && !('toJSON' in o);
const destroyed = await ml.createContext({ powerPreference: 'low-power' });
destroyed.destroy();
console.log(JSON.stringify({
  calls: await example(MLGraphBuilder),
  session: await example(SessionBuilder),
  lists: [await lists(MLGraphBuilder), await lists(SessionBuilder)],
  joined: await joined(),
  undefined: await failure(() => b.concat([], undefined)),
  classes: [context instanceof MLContext, b instanceof MLGraphBuilder, s instanceof SessionBuilder, isOperand(x),
    isOperand(b.constant('int8', 1)), 'gemm' in MLGraphBuilder.prototype, 'build' in b, !('gem' in b), !('foo' in context)],
  readOnly: await failure(() => { b.constant('int8', 1).shape = []; }),
  illegal: await failure(() => new MLOperand()),
  shape: b.input('x', { dataType: 'int8', shape: [1, 4] }).shape,
  thrown: await failure(() => b.input('y', { dataType: 'int8', shape: [-1] })),
  rejected: await failure(() => s.build({ y: s.softmax(x, 2, { label: 'soft' }) })),
  promises: await (async () => {
    const t = await context.createTensor({ dataType: 'int8', shape: [4], readable: true, writable: true }), gone = new ArrayBuffer(4);
    structuredClone(gone, { transfer: [gone] });
    const of = (f) => { try { f().catch(() => {}); return 'rejects'; } catch { return 'throws'; } };
    return [() => context.readTensor(t, gone), () => context.createConstantTensor({ dataType: 'int8', shape: [4] }, gone), () => context.createTensor(),
      () => context.readTensor.call({}, t), () => b.build(gone), () => context.writeTensor(t, gone), () => context.dispatch(),
      // of a wrong receiver
      () => Reflect.get(MLContext.prototype, 'lost', {}), () => MLContext.prototype.lost, () => Reflect.get(MLContext.prototype, 'lost', t),
      () => Reflect.get(MLOperand.prototype, 'shape', t), () => t.destroy.call(context)].map(of);
  })(),
  detached: await failure(async () => {
    const t = await context.createTensor({ dataType: 'int8', shape: [4], readable: true });
    const buffer = new ArrayBuffer(4);
    const reading = context.readTensor(t, buffer);
    structuredClone(buffer, { transfer: [buffer] });
    await reading;
  }),
  lost: Object.keys(await destroyed.lost),
  limits: context.opSupportLimits().add.a.rankRange,
}));
process.exit(0);
