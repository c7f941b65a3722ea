import { proveEach } from "../suite.ts";
import { ON_GITHUB } from "./attacks.ts";

proveEach(ON_GITHUB);
