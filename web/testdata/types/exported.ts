// Uses an exported model as programs in TypeScript do.
import { download, load, Model, WorkerModel, type Inputs, type Outputs, type Parts } from "./digits/digits.js";
import { description, open, samples, segments, type Output } from "./digits/digits.media.js";

const model: Model = await load();
const other: Model = await load({ exact: true, base: "https://example.org/", threads: 2, worker: false });
const { y }: Outputs = model.run({ x: new Float32Array(784) });
const values: Float32Array = y;
model.run({ x: Array.from({ length: 784 }, () => 0) });
const worker: WorkerModel = await load({ worker: true, threads: 4 });
const inputs: Inputs = { x: values };
const answer: Outputs = await worker.run(inputs);
await worker.reset();
worker.close();
const parts: Parts = await download({ exact: true });
const posted: Model = await load(parts);
const { name, type, shape } = model.inputs[0]!;
const pipeline = await open({ worker: true });
const canvas = document.createElement("canvas").getContext("2d")!;
const [first]: Output[] = await pipeline.picture(canvas.getImageData(0, 0, 28, 28));
const best: number | undefined = first?.classes?.[0]?.index;
if (description.picture) {
  const { pixels, view } = samples(description.picture, { data: new Uint8ClampedArray(4), width: 1, height: 1 });
  console.log(pixels.length, view.width);
}
segments({ label: "", threshold: 0.5, step: 1, values: [1] }).map(({ begin, end }) => end - begin);
const options: { worker: boolean } = { worker: Math.random() < 0.5 };
const either: Model | WorkerModel = await load(options);
// @ts-expect-error
model.run({});
// @ts-expect-error
new Model();
export { other, answer, posted, name, type, shape, best, either };
