import "/package/concord-webnn.js";
import "./compute.js";

onconnect = ({ ports: [port] }) => compute().then((x) => port.postMessage(x), (e) => port.postMessage({ error: String(e) }));
