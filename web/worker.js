// The worker of a context, or of the compiler.

import { serve } from "./serve.js";

serve(globalThis);
