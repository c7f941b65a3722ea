import { proveEach } from "../suite.ts";
import { NETWORK } from "./attacks.ts";

proveEach(NETWORK);
