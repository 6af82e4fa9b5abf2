// Where a session runs: the same program as on the page, without a picture.
import init, { serve } from "./taut_view.js";
await init();
serve();
