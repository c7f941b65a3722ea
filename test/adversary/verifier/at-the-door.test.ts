import { proveEach } from "../suite.ts";
import { AT_THE_DOOR } from "./at-the-door.ts";

proveEach(AT_THE_DOOR, { proof: true });
