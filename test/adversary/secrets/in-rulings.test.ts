import { proveEach } from "../suite.ts";
import { IN_RULINGS } from "./in-rulings.ts";

proveEach(IN_RULINGS);
