import { proveEach } from "../suite.ts";
import { BOUNDS } from "./attacks.ts";

proveEach(BOUNDS);
