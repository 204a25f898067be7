// What the scripts beside this one share: in Node and on pages.

/**
 * A model as it is given on the command line: PATH, or PATH?input=1,576&sr=:16000, where shapes of inputs stand behind the path that the model leaves open,
 * and behind colons values for all elements of an input.
 */
export function modelOf(text) {
  const [path, query = ""] = text.split("?");
  const given = [...new URLSearchParams(query)];
  return {
    path,
    shapes: given.filter(([, value]) => !value.startsWith(":")).flatMap(([name, value]) => ["--shape", `${name}=${value}`]),
    values: Object.fromEntries(given.filter(([, value]) => value.startsWith(":")).map(([name, value]) => [name, Number(value.slice(1))])),
  };
}

const arrays = { float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, int32: Int32Array, int64: BigInt64Array };

/** Elements for an input of a type and shape: the same ones each time. */
export function drawn({ name, type, shape }, values) {
  const n = shape.reduce((a, b) => a * b, 1);
  if (!arrays[type]) {
    throw new TypeError(`input ${name} is ${type}, of which nothing is drawn`);
  }
  const element = (k) => {
    const x = values[name] ?? (((k * 7919 + 13) % 1009) / 1009) * 2 - 1;
    return type === "int64" ? BigInt(Math.round(x)) : x;
  };
  return arrays[type].from({ length: n }, (_, k) => element(k));
}

/** How far results are apart, as a share of the greatest magnitude: infinitely if one has other elements, or what is no number. */
export function apart(a, b) {
  const [x, y] = [Array.from(a, Number), Array.from(b, Number)];
  const greatest = (list) => list.reduce((most, v) => (Math.abs(v) <= most || Number.isNaN(most) ? most : Math.abs(v)), 0);
  const share = greatest(x.map((v, i) => (v === y[i] ? 0 : v - y[i]))) / (greatest(y) || 1);
  return x.length === y.length && Number.isFinite(share) ? share : Infinity;
}

export const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
export const least = (list) => Math.min(...list);

/**
 * Runs a model of Concord and a session of onnxruntime-web so many times, in turns, on the same inputs. It returns the times in milliseconds of both, and
 * how far the outputs of their first runs are apart.
 */
export async function alternate(ort, model, session, values, rounds) {
  const ours = {};
  const theirs = {};
  model.inputs.forEach((input, i) => {
    ours[input.name] = drawn(input, values);
    const name = session.inputNames.includes(input.name) ? input.name : session.inputNames[i];
    theirs[name] = new ort.Tensor(input.type, ours[input.name], [...input.shape]);
  });
  const times = [[], []];
  const timed = async (list, run) => {
    const began = performance.now();
    const y = await run();
    list.push(performance.now() - began);
    return y;
  };
  let difference;
  for (let round = 0; round < rounds; round++) {
    const y = await timed(times[0], () => model.run(ours));
    const z = await timed(times[1], () => session.run(theirs));
    difference ??= Math.max(...session.outputNames.map((name, i) => apart(y[name] ?? Object.values(y)[i], z[name].data)));
  }
  return { times, difference };
}

/** A line about the times of both. */
export function line(title, { times: [x, y], difference }) {
  const pair = (f) => `${f(x).toFixed(2)} and ${f(y).toFixed(2)} ms, ratio ${(f(x) / f(y)).toFixed(2)}`;
  return `${title}: median ${pair(median)}; least ${pair(least)}${difference === undefined ? "" : `; outputs ${difference.toExponential(1)} apart`}`;
}
