import { proveEach } from "../suite.ts";
import { IN_LINEAR } from "./attacks.ts";

proveEach(IN_LINEAR);
