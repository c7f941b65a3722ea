import { afterAll } from "vitest";
import { proveEach } from "../suite.ts";
import { BETWEEN_ENGINES } from "./between-engines.ts";
import { removeKilledRuns } from "./killed-run.ts";

afterAll(removeKilledRuns);
proveEach(BETWEEN_ENGINES, { proof: true });
