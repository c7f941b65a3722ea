import { proveEach } from "../suite.ts";
import { ENGINE } from "./attacks.ts";

proveEach(ENGINE);
