// Answers what models of a name in folders say of the pixels or the samples that lie there, and prints it.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const text = (y) => Buffer.from(y.buffer, y.byteOffset, y.byteLength).toString("base64");
const said = (o) => (o.tensor ? { ...o, tensor: text(o.tensor), sound: o.sound && text(o.sound) } : o);
const results = [];
const [name, ...folders] = process.argv.slice(2);
for (const dir of folders) {
  const { open } = await import(pathToFileURL(`${dir}/${name}.media.js`));
  const pipeline = await open({ exact: true });
  const given = JSON.parse(readFileSync(`${dir}/given.json`));
  const outputs = given.pixels
    ? await pipeline.picture({ ...given, data: Buffer.from(given.pixels, "base64") })
    : await pipeline.sound(new Float32Array(Uint8Array.from(Buffer.from(given.samples, "base64")).buffer));
  results.push(outputs.map(said));
}
process.stdout.write(JSON.stringify(results));
