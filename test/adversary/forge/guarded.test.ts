import { proveEach } from "../suite.ts";
import { WITH_PROTECTION } from "./attacks.ts";

proveEach(WITH_PROTECTION);
