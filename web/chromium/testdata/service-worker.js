import "/package/service-worker.js";
import "./compute.js";

onmessage = (e) => e.waitUntil(compute().then((x) => e.source.postMessage(x), (error) => e.source.postMessage({ error: String(error) })));
