import { proveEach } from "../suite.ts";
import { JUDGE } from "./judge.ts";

proveEach(JUDGE);
