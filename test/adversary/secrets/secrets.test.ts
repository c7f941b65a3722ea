import { proveEach } from "../suite.ts";
import { SECRETS } from "./attacks.ts";

proveEach(SECRETS);
