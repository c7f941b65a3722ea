import { proveEach } from "../suite.ts";
import { EDITS } from "./attacks.ts";

proveEach(EDITS);
