import { proveEach } from "../suite.ts";
import { KNOWING } from "./knowing.ts";
import { PREPARED } from "./prepared.ts";
import { SEALED_ATTACKS } from "./sealed.ts";

proveEach(SEALED_ATTACKS);
proveEach(KNOWING);
proveEach(PREPARED);
