import { proveEach } from "../suite.ts";
import { ONE_SERVICE } from "./one-service.ts";

proveEach(ONE_SERVICE);
