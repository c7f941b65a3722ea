import { proveEach } from "../suite.ts";
import { MODELS } from "./models.ts";

proveEach(MODELS);
