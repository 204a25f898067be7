// The first example of the standard, C = 0.2 · A + B, with the WebNN of the global object: in windows and workers, classic scripts and modules.

globalThis.compute = async () => {
  const context = await navigator.ml.createContext();
  const builder = new MLGraphBuilder(context);
  const descriptor = { dataType: "float32", shape: [2, 2] };
  const constant = builder.constant(descriptor, new Float32Array(4).fill(0.2));
  const A = builder.input("A", descriptor);
  const B = builder.input("B", descriptor);
  const C = builder.add(builder.mul(A, constant), B);
  const graph = await builder.build({ C });
  const [tensorA, tensorB, tensorC] = await Promise.all([
    context.createTensor({ ...descriptor, writable: true }),
    context.createTensor({ ...descriptor, writable: true }),
    context.createTensor({ ...descriptor, readable: true }),
  ]);
  context.writeTensor(tensorA, new Float32Array(4).fill(1.0));
  context.writeTensor(tensorB, new Float32Array(4).fill(0.8));
  context.dispatch(graph, { A: tensorA, B: tensorB }, { C: tensorC });
  const values = Array.from(new Float32Array(await context.readTensor(tensorC)));
  context.destroy();
  return { values, ml: String(navigator.ml), builder: String(builder), global: Object.hasOwn(globalThis, "MLGraphBuilder"), isolated: crossOriginIsolated };
};
