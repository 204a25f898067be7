// Opens models of a name in folders, and prints why each cannot be; nothing of one that can.
import { pathToFileURL } from "node:url";

const why = [];
const [name, ...folders] = process.argv.slice(2);
for (const dir of folders) {
  try {
    const { open } = await import(pathToFileURL(`${dir}/${name}.media.js`));
    await open({ exact: true });
    why.push("");
  } catch (e) {
    why.push(String(e));
  }
}
process.stdout.write(JSON.stringify(why));
