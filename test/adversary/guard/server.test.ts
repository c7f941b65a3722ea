import { proveEach } from "../suite.ts";
import { GUARD_SERVER } from "./server.ts";

proveEach(GUARD_SERVER);
