import { proveEach } from "../suite.ts";
import { HEALS } from "./heals.ts";

proveEach(HEALS);
