import { proveEach } from "../suite.ts";
import { ON_DISK } from "./attacks.ts";

proveEach(ON_DISK);
