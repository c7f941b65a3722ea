import { proveEach } from "../suite.ts";
import { FALSE_DONE } from "./attacks.ts";

proveEach(FALSE_DONE);
