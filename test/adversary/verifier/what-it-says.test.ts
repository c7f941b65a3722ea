import { proveEach } from "../suite.ts";
import { WHAT_IT_SAYS } from "./what-it-says.ts";

proveEach(WHAT_IT_SAYS, { proof: true });
