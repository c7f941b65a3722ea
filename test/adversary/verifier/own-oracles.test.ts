import { proveEach } from "../suite.ts";
import { OWN_ORACLES } from "./own-oracles.ts";

proveEach(OWN_ORACLES, { proof: true });
