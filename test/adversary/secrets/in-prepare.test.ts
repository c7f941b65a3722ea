import { proveEach } from "../suite.ts";
import { IN_PREPARE } from "./in-prepare.ts";

proveEach(IN_PREPARE);
