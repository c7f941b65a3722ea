import { proveEach } from "../suite.ts";
import { NAMED_FILES } from "./named.ts";

proveEach(NAMED_FILES);
