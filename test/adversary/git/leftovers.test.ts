import { proveEach } from "../suite.ts";
import { LEFTOVERS } from "./leftovers.ts";

proveEach(LEFTOVERS);
