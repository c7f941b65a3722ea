import { proveEach } from "../suite.ts";
import { LOGINS } from "./logins.ts";

proveEach(LOGINS);
