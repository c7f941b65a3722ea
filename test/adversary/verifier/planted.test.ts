import { proveEach } from "../suite.ts";
import { PLANTED } from "./planted.ts";

proveEach(PLANTED, { proof: true });
