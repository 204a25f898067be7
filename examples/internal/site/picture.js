// Makes pictures inputs of networks, as a manifest says (docs/manifest.md) and with the bits of concord run: the same sums in the same order, in
// double precision, rounded once to single.

/** The luminance of JPEG, in 16-bit fixed point. */
const luma = (r, g, b) => (19595 * r + 38470 * g + 7471 * b + 32768) >>> 16;

/** The channels that the network sees, 8 bits each. */
function channels({ data, width, height }, { colour, invert }) {
  const flip = invert ? 255 : 0;
  const n = width * height;
  if (colour === "gray") {
    const pix = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      pix[i] = luma(data[4 * i], data[4 * i + 1], data[4 * i + 2]) ^ flip;
    }
    return pix;
  }
  const pix = new Uint8Array(3 * n);
  for (let i = 0; i < n; i++) {
    pix[3 * i] = data[4 * i] ^ flip;
    pix[3 * i + 1] = data[4 * i + 1] ^ flip;
    pix[3 * i + 2] = data[4 * i + 2] ^ flip;
  }
  return pix;
}

/** The smallest rectangle around what is nearer to the brightest pixel than to the darkest, with a margin. */
function content(pix, width, height, margin) {
  let darkest = 255, brightest = 0;
  for (const v of pix) {
    darkest = Math.min(darkest, v);
    brightest = Math.max(brightest, v);
  }
  let left = width, top = height, right = 0, bottom = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (2 * pix[y * width + x] >= darkest + brightest) {
        left = Math.min(left, x);
        right = Math.max(right, x + 1);
        top = Math.min(top, y);
        bottom = y + 1;
      }
    }
  }
  const by = margin * Math.max(right - left, bottom - top);
  return { x: left - by, y: top - by, width: right - left + 2 * by, height: bottom - top + 2 * by };
}

/** A window of the proportion of width to height, around the whole of w. */
function fitted(w, proportion) {
  let { width, height } = w;
  if (width > height * proportion) {
    height = width / proportion;
  } else {
    width = height * proportion;
  }
  return { x: w.x + (w.width - width) / 2, y: w.y + (w.height - height) / 2, width, height };
}

/**
 * What each sample along an axis consists of: pixels at[first[i]] … at[first[i + 1] - 1] with their weights, and the share that lies outside.
 */
function spans(filter, origin, length, n, samples) {
  const cell = length / samples, at = [], weight = [], first = new Int32Array(samples + 1), outside = new Float64Array(samples);
  for (let i = 0; i < samples; i++) {
    if (filter === "bilinear") {
      const place = origin + cell * (i + 0.5), below = Math.floor(place - 0.5), t = place - 0.5 - below;
      if (place < 0 || place >= n) {
        outside[i] = 1;
      } else {
        at.push(Math.max(below, 0), Math.min(below + 1, n - 1));
        weight.push(1 - t, t);
      }
    } else {
      const from = origin + cell * i, to = from + cell, size = to - from;
      for (let p = Math.max(Math.floor(from), 0); p < n && p < to; p++) {
        const share = (Math.min(to, p + 1) - Math.max(from, p)) / size;
        if (share > 0) {
          at.push(p);
          weight.push(share);
        }
      }
      outside[i] = (Math.max(0, Math.min(to, 0) - from) + Math.max(0, to - Math.max(from, n))) / size;
    }
    first[i + 1] = at.length;
  }
  return { first, at: Int32Array.from(at), weight: Float64Array.from(weight), outside };
}

/** Resizes the window w of a picture: each row of the picture once, and then the rows. */
function sample(pix, depth, width, height, pad, w, filter, columns, rows) {
  const across = spans(filter, w.x, w.width, width, columns), down = spans(filter, w.y, w.height, height, rows);
  const out = new Float32Array(rows * columns * depth), sum = new Float64Array(columns * depth), line = new Float64Array(columns * depth);
  let current = -1;
  for (let y = 0; y < rows; y++) {
    sum.fill(down.outside[y] * pad);
    for (let k = down.first[y]; k < down.first[y + 1]; k++) {
      if (down.weight[k] === 0) {
        continue;
      }
      if (current !== down.at[k]) {
        current = down.at[k];
        resizeRow(line, pix, current * width * depth, depth, across, pad);
      }
      for (let i = 0; i < sum.length; i++) {
        sum[i] += down.weight[k] * line[i];
      }
    }
    out.set(sum, y * sum.length);
  }
  return out;
}

/** Resizes the row of a picture that starts at a place. */
function resizeRow(line, pix, start, depth, { first, at, weight, outside }, pad) {
  for (let x = 0; x < outside.length; x++) {
    for (let c = 0; c < depth; c++) {
      let v = outside[x] * pad;
      for (let k = first[x]; k < first[x + 1]; k++) {
        v += weight[k] * pix[start + at[k] * depth + c];
      }
      line[x * depth + c] = v;
    }
  }
}

/** Rounds halves to even numbers. */
function roundEven(x) {
  const r = Math.round(x);
  return r - x === 0.5 && r % 2 !== 0 ? r - 1 : r; // Math.round goes up
}

/**
 * Makes a picture the input of a network.
 *
 * @param {ImageData} image the picture, opaque
 * @param {object} spec the input in the manifest
 * @returns {Float32Array} [channels, rows, columns]
 */
export function prepare(image, spec) {
  const { width, height } = image;
  const [columns, rows] = spec.size;
  const pix = channels(image, spec), depth = spec.colour === "gray" ? 1 : 3;
  let w = { x: 0, y: 0, width, height };
  if (spec.crop === "content") {
    w = content(pix, width, height, spec.margin ?? 0);
  }
  if (spec.resize === "fit") {
    w = fitted(w, columns / rows);
  }
  const pad = (spec.pad ?? 0) ^ (spec.invert ? 255 : 0);
  const samples = sample(pix, depth, width, height, pad, w, spec.filter ?? "bilinear", columns, rows);
  const { mean = 0, std = 1 } = spec, size = rows * columns, x = new Float32Array(size * depth);
  for (let i = 0; i < size; i++) {
    for (let c = 0; c < depth; c++) {
      const v = samples[i * depth + c];
      x[c * size + i] = Math.fround((spec.round ? roundEven(v) : v) - mean) / std;
    }
  }
  return x;
}

/**
 * The pixels of a file, an image element or a video, as large as they are but not larger than limit on each side.
 *
 * @param {CanvasImageSource} source
 * @returns {HTMLCanvasElement} with the picture
 */
export function pixels(source, canvas, limit = 4096) {
  const width = source.videoWidth || source.naturalWidth || source.width, height = source.videoHeight || source.naturalHeight || source.height;
  const scale = Math.min(1, limit / Math.max(width, height));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.fillStyle = "#fff"; // under what is transparent
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  return canvas;
}
