// Uses the package as programs in TypeScript do: .ci/run compiles it.
import "concord-webnn/classic";
import { install, levelOf, type InstallOptions } from "concord-webnn";

const options: InstallOptions = { always: true, base: new URL("https://example.org/"), level: "loose", threads: 4, cache: false };
const ml: ML = install(options);
const context: MLContext = await ml.createContext({ powerPreference: "low-power", accelerated: false });
const level: "fused" | "emulated" | "loose" = levelOf(context);
const limits = context.opSupportLimits();
const most: number = limits.maxTensorByteLength;
const range: MLRankRange = limits.input.rankRange;
const lost: MLContextLostInfo = await context.lost;
const builder = new MLGraphBuilder(context);
const descriptor: MLOperandDescriptor = { dataType: "float32", shape: [2, 2] };
const x = builder.input("x", descriptor);
const c = builder.constant(descriptor, new Float32Array(4));
const d = builder.constant({ dataType: "int8", shape: [4] }, new ArrayBuffer(4));
const e = builder.constant("int64", 3n);
const f = builder.constant("float32", 3);
const tensor: MLTensor = await context.createTensor({ ...descriptor, writable: true, readable: true });
const constant = await context.createConstantTensor(descriptor, new Float32Array(4));
const g = builder.constant(constant);
const parts: MLOperand[] = builder.split(x, 2, { axis: 1, label: "parts" });
const sizes: MLOperand[] = builder.split(x, [1, 1]);
const y: MLOperand = builder.clamp(builder.softmax(builder.gemm(x, c, { alpha: 0.5, c: f }), 1), { minValue: 0, maxValue: 6 });
const z = builder.lstm(x, x, x, 1, 2, { activations: ["tanh"], direction: "both", returnSequence: true });
const pooled = builder.maxPool2d(x, { windowDimensions: [2, 2], outputShapeRounding: "ceil", layout: "nhwc" });
const padded = builder.pad(x, [1, 1], [1, 1], { mode: "reflection", value: 1 });
const triangle = builder.triangular(x, { upper: false, diagonal: -1 });
const shape: readonly number[] = y.shape;
const graph: MLGraph = await builder.build({ y });
context.writeTensor(tensor, new Float32Array(4));
context.dispatch(graph, { x: tensor }, { y: tensor });
const read: ArrayBuffer = await context.readTensor(tensor);
await context.readTensor(tensor, new Float32Array(4));
tensor.destroy();
graph.destroy();
context.destroy();
const also: MLContext = await navigator.ml.createContext();
const sharedOnes = new Float32Array(new SharedArrayBuffer(16));
context.writeTensor(tensor, sharedOnes);
// What must not be.
// @ts-expect-error
builder.softmax(x);
// @ts-expect-error
new MLContext();
// @ts-expect-error
builder.input("x", { dataType: "float8", shape: [] });
// @ts-expect-error
y.shape[0] = 3;
// @ts-expect-error
tensor.dataType = "int8";
export { level, most, range, lost, d, e, g, parts, sizes, z, pooled, padded, triangle, shape, read, also };
