import "/package/concord-webnn.js";
import "./compute.js";

compute().then(postMessage, (e) => postMessage({ error: String(e) }));
