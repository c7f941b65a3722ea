import { proveEach } from "../suite.ts";
import { KEPT } from "./kept.ts";

proveEach(KEPT);
