import { proveEach } from "../suite.ts";
import { BY_GIT } from "./by-git.ts";

proveEach(BY_GIT);
