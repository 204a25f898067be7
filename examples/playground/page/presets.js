// Networks to begin with.
export const presets = {
  Edges: {
    code: `// How much the picture changes, right and down.
const kernel = (values) => b.constant(
  { dataType: "float32", shape: [1, 1, 3, 3] },
  Float32Array.from(values));
const gray = b.reduceMean(x, {
  axes: [1], keepDimensions: true });
const padding = [1, 1, 1, 1];
const right = b.conv2d(gray, kernel([
  -1, 0, 1,
  -2, 0, 2,
  -1, 0, 1]), { padding });
const down = b.conv2d(gray, kernel([
  -1, -2, -1,
   0,  0,  0,
   1,  2,  1]), { padding });
return b.sqrt(
  b.add(b.mul(right, right), b.mul(down, down)));`,
  },
  Blur: {
    code: `// Each channel by itself: as many groups as channels.
const size = 11;
const filter = b.constant(
  { dataType: "float32", shape: [3, 1, size, size] },
  new Float32Array(3 * size * size).fill(1 / (size * size)));
const pad = (size - 1) / 2;
return b.conv2d(x, filter, { groups: 3, padding: [pad, pad, pad, pad] });`,
  },
  Sharpen: {
    code: `// Twice the picture, less what is blurred.
const blurred = b.averagePool2d(x, {
  windowDimensions: [5, 5], padding: [2, 2, 2, 2] });
const number = (v) => b.constant("float32", v);
const sharp = b.sub(b.mul(x, number(3)), b.mul(blurred, number(2)));
return b.clamp(sharp, { minValue: 0, maxValue: 1 });`,
  },
  Mosaic: {
    code: `// Small, and large again.
const [, , height, width] = x.shape;
const small = b.averagePool2d(x, {
  windowDimensions: [8, 8], strides: [8, 8] });
return b.resample2d(small, {
  mode: "nearest-neighbor", sizes: [height, width] });`,
  },
  Night: {
    code: `// Each pixel becomes a mixture of its red, green and blue.
const mix = b.constant(
  { dataType: "float32", shape: [3, 3, 1, 1] }, Float32Array.of(
  0.10, 0.15, 0.05,
  0.10, 0.25, 0.15,
  0.15, 0.30, 0.45));
const dark = b.conv2d(x, mix);
// Light stays light.
return b.pow(dark, b.constant("float32", 1.4));`,
  },
  Life: {
    again: true,
    code: `// Conway: a cell lives next if it has three neighbours,
// or two and lives now. The sine makes many cells of few shades.
const number = (v) => b.constant("float32", v);
const gray = b.reduceMean(x, {
  axes: [1], keepDimensions: true });
const living = b.greater(
  b.sin(b.mul(gray, number(397))), number(0));
const alive = b.cast(living, "float32");
const around = b.conv2d(alive, b.constant(
  { dataType: "float32", shape: [1, 1, 3, 3] },
  Float32Array.of(1, 1, 1, 1, 0, 1, 1, 1, 1)),
  { padding: [1, 1, 1, 1] });
const three = b.equal(around, number(3));
const two = b.equal(around, number(2));
const next = b.logicalOr(
  three, b.logicalAnd(two, living));
return b.cast(next, "float32");`,
  },
  Mistake: {
    code: `// What is wrong here? The sentence below says it.
const filter = b.constant(
  { dataType: "float32", shape: [4, 3, 5, 5] },
  new Float32Array(300));
return b.conv2d(x, filter, { groups: 3, label: "my first" });`,
  },
};
