import { proveEach } from "../suite.ts";
import { SEALED_ATTACKS } from "./sealed.ts";

proveEach(SEALED_ATTACKS);
