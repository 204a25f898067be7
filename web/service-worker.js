// The package for service workers, which may import nothing later than their script.

import * as go from "./go.js";
import * as serve from "./serve.js";
import { provided } from "./provided.js";

Object.assign(provided, { go, serve });

export * from "./concord-webnn.js";
