import { proveEach } from "../suite.ts";
import { GIT_WALLS } from "./attacks.ts";

proveEach(GIT_WALLS);
