import { proveEach } from "../suite.ts";
import { RUNNERS } from "./attacks.ts";

proveEach(RUNNERS);
