import { proveEach } from "../suite.ts";
import { ATTRIBUTES } from "./attributes.ts";

proveEach(ATTRIBUTES);
