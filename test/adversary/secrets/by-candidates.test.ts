import { proveEach } from "../suite.ts";
import { BY_CANDIDATES } from "./by-candidates.ts";

proveEach(BY_CANDIDATES);
