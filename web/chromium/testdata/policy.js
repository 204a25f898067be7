navigator.ml.createContext().then(() => { globalThis.result = "ok"; }, (e) => { globalThis.result = e.name; });
