// Modules that were compiled before, by what they were compiled from, in IndexedDB. Whatever fails there, compiling goes on.

const most = 512 * 2 ** 20; // bytes of all entries

const hex = (buffer) => Array.from(new Uint8Array(buffer), (b) => b.toString(16).padStart(2, "0")).join("");

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** Opens the cache; undefined where there can be none. */
export function open() {
  let opening;
  try {
    opening = globalThis.crypto?.subtle && globalThis.indexedDB?.open("concord-webnn", 1);
  } catch {
    // frames without an origin, and browsers that are told to keep nothing
  }
  if (!opening) {
    return undefined;
  }
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore("modules");
    opening.result.createObjectStore("uses");
  };
  const database = done(opening);
  database.then((d) => { d.onversionchange = () => d.close(); }, () => {}); // so that pages may delete it; nothing is kept from then on
  return new Cache(database);
}

class Cache {
  #database;

  constructor(database) {
    this.#database = database;
  }

  /** The key of what values and buffers hold; undefined, under which nothing is kept, if they are too large for one. */
  async key(values, buffers) {
    const digest = async (bytes) => hex(await crypto.subtle.digest("SHA-256", bytes));
    try {
      const digests = [];
      for (const b of buffers) {
        digests.push(await digest(b));
      }
      return await digest(new TextEncoder().encode(JSON.stringify([values, digests])));
    } catch {
      return undefined;
    }
  }

  async #stores(mode) {
    const transaction = (await this.#database).transaction(["modules", "uses"], mode);
    return [transaction.objectStore("modules"), transaction.objectStore("uses")];
  }

  async get(key) {
    try {
      const [modules, uses] = await this.#stores("readwrite");
      const found = await done(modules.get(key));
      if (found !== undefined) {
        uses.put({ size: size(found), used: Date.now() }, key);
      }
      return found;
    } catch {
      return undefined;
    }
  }

  /** Keeps an entry, in the place of those that were used the longest time ago. */
  async put(key, entry) {
    try {
      if (size(entry) > most / 2) {
        return;
      }
      const copy = { ...entry, weights: entry.weights.slice(0) }; // the entry is handed on
      const [modules, uses] = await this.#stores("readwrite");
      const [keys, all] = await Promise.all([done(uses.getAllKeys()), done(uses.getAll())]);
      let sum = all.reduce((n, use) => n + use.size, size(copy));
      const oldest = keys.map((k, i) => ({ k, ...all[i] })).sort((a, b) => a.used - b.used);
      for (const { k, size: bytes } of oldest) {
        if (sum <= most) {
          break;
        }
        sum -= bytes;
        modules.delete(k);
        uses.delete(k);
      }
      modules.put(copy, key);
      uses.put({ size: size(copy), used: Date.now() }, key);
    } catch {
      // the next build compiles again
    }
  }
}

const size = ({ code, weights }) => code.byteLength + weights.byteLength;
