import { proveEach } from "../suite.ts";
import { WITHOUT_PROTECTION } from "./attacks.ts";

proveEach(WITHOUT_PROTECTION);
