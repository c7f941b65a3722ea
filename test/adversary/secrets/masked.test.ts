import { proveEach } from "../suite.ts";
import { MASKED } from "./masked.ts";

proveEach(MASKED);
