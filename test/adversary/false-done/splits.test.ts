import { proveEach } from "../suite.ts";
import { SPLITS } from "./splits.ts";

proveEach(SPLITS);
