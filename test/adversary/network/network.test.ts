import { proveEach } from "../suite.ts";
import { NETWORK } from "./attacks.ts";
import { PRIVATE } from "./private.ts";

proveEach(NETWORK);
proveEach(PRIVATE);
