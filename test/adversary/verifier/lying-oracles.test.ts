import { proveEach } from "../suite.ts";
import { LYING_ORACLES } from "./lying-oracles.ts";

proveEach(LYING_ORACLES, { proof: true });
