import { proveEach } from "../suite.ts";
import { TESTS_AND_RESULTS } from "./attacks.ts";

proveEach(TESTS_AND_RESULTS);
