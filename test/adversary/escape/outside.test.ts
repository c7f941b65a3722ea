import { proveEach } from "../suite.ts";
import { OUTSIDE } from "./outside.ts";

proveEach(OUTSIDE);
