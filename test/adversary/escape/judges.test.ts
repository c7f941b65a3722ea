import { proveEach } from "../suite.ts";
import { JUDGES } from "./judges.ts";

proveEach(JUDGES);
