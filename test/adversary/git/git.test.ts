import { proveEach } from "../suite.ts";
import { GIT } from "./attacks.ts";

proveEach(GIT);
