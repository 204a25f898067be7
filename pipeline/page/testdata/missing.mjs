// Opens a model in a folder, of which a file is missing, in a worker, and prints the error and how many workers are left.
import { pathToFileURL } from "node:url";

const threads = process.getBuiltinModule("node:worker_threads");
const workers = new Set();
threads.Worker = class extends threads.Worker {
  constructor(...options) {
    super(...options);
    workers.add(this);
  }
  terminate() {
    workers.delete(this);
    return super.terminate();
  }
};

const [name, dir] = process.argv.slice(2);
const { open } = await import(pathToFileURL(`${dir}/${name}.media.js`));
const { code } = await open({ worker: true }).catch((e) => e);
for (let i = 0; i < 100 && workers.size > 0; i++) { // the worker loads its model first
  await new Promise((resolve) => setTimeout(resolve, 50));
}
process.stdout.write(`${code} ${workers.size}`);
