import { proveEach } from "../suite.ts";
import { FORGED } from "./attacks.ts";

proveEach(FORGED);
