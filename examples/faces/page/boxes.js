// Reads the boxes of a detector, as a manifest says (docs/manifest.md).

/** The boxes that a detector measures its own from: one for each cell of each map and each size. */
function priors({ size: [width, height], maps, clamp }) {
  const limit = (x) => (clamp ? Math.max(0, Math.min(x, 1)) : x);
  const list = [];
  for (const { cells: [columns, rows], boxes } of maps) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        for (const box of boxes) {
          const [w, h] = Array.isArray(box) ? box : [box, box];
          list.push([limit((column + 0.5) / columns), limit((row + 0.5) / rows), limit(w / width), limit(h / height)]);
        }
      }
    }
  }
  return list;
}

/** Returns the corners of box i, as shares of the picture. */
function reader(boxes, { format = "corners", priors: spec }) {
  if (format === "corners") {
    return (i) => boxes.subarray(4 * i, 4 * i + 4);
  }
  const list = priors(spec), [near, grow] = spec.variance;
  return (i) => {
    const [cx, cy, w, h] = list[i], [dx, dy, dw, dh] = boxes.subarray(4 * i, 4 * i + 4);
    const x = cx + dx * near * w, y = cy + dy * near * h, halfWidth = (Math.exp(dw * grow) * w) / 2, halfHeight = (Math.exp(dh * grow) * h) / 2;
    return [x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight];
  };
}

/** The share of two boxes that both have. */
function overlap([l, t, r, b], [left, top, right, bottom]) {
  const both = Math.max(0, Math.min(r, right) - Math.max(l, left)) * Math.max(0, Math.min(b, bottom) - Math.max(t, top));
  return both / ((r - l) * (b - t) + (right - left) * (bottom - top) - both);
}

/**
 * Returns the boxes that score above the threshold, the best first; of those that are about the same, the best.
 *
 * @param {Record<string, Float32Array>} outputs of the model
 * @param {[string, object]} spec the name of the output with boxes, and what the manifest says of it
 * @param {number} threshold from 0 to 1
 * @returns {{score: number, box: number[]}[]} boxes as left, top, right, bottom, shares of the picture
 */
export function find(outputs, [name, spec], threshold) {
  const scores = outputs[spec.scores], classes = spec.labels.length, wanted = 1 - spec.background, at = reader(outputs[name], spec);
  const candidates = [];
  for (let i = 0; i * classes < scores.length; i++) {
    const score = scores[i * classes + wanted];
    if (score > threshold) {
      candidates.push({ score, box: [...at(i)] });
    }
  }
  candidates.sort((a, b) => b.score - a.score);
  const found = [];
  for (const c of candidates) {
    if (found.every(({ box }) => overlap(box, c.box) <= (spec.iou_threshold ?? 0.5))) {
      found.push(c);
    }
  }
  return found;
}
