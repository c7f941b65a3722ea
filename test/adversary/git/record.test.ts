import { proveEach } from "../suite.ts";
import { RECORDS } from "./record.ts";

proveEach(RECORDS);
