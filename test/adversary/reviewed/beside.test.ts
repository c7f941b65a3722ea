import { proveEach } from "../suite.ts";
import { BESIDE } from "./beside.ts";

proveEach(BESIDE);
