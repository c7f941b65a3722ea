import { afterAll } from "vitest";
import { proveEach } from "../suite.ts";
import { removeOverRun, TRACKERS } from "./trackers.ts";

afterAll(removeOverRun);
proveEach(TRACKERS, { proof: true });
