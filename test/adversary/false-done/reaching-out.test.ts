import { proveEach } from "../suite.ts";
import { REACHING_OUT } from "./reaching-out.ts";

proveEach(REACHING_OUT);
