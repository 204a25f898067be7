// Loads a model whose files are of two exports, of which folders have one each, and prints the errors.
import { copyFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [one, other] = process.argv.slice(2);
const { download, load } = await import(pathToFileURL(`${one}/net.js`));
const parts = await download();
const mixed = { ...parts, code: (await (await import(pathToFileURL(`${other}/net.js`))).download()).code };
const tried = async (f) => console.log(await f().then(() => "nothing", (e) => e.message));

await tried(() => load(mixed));
copyFileSync(`${other}/net.bin`, `${one}/net.bin`);
await tried(() => load());
await tried(() => download());
copyFileSync(`${one}/net.js`, `${other}/net.js`); // the loader of one export beside the files of the other
await tried(async () => (await load({ worker: true, base: pathToFileURL(`${other}/`) })).close());
