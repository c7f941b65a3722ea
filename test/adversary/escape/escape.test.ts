import { proveEach } from "../suite.ts";
import { ESCAPE } from "./attacks.ts";

proveEach(ESCAPE);
