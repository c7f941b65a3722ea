import { writeSync } from "node:fs";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { RunId } from "../../../src/domain/values/ids.ts";

/**
 * Appends facts that may wait, one that announces, and those that may wait again; says their places, and then does nothing
 * at all, not even its timers. Arguments: file, run, what waits and what announces as JSON.
 */
const [, , file = "", run = "", waiting = "", announcing = ""] = process.argv;
const journal = openRunStore(file).open(RunId.parse(run));
const facts: RunFact[] = JSON.parse(waiting);
const [first = 0] = facts.map((fact) => journal.append(fact).seq);
const announced = journal.append(JSON.parse(announcing)).seq;
const last = facts.map((fact) => journal.append(fact).seq).at(-1);
writeSync(1, JSON.stringify({ first, announced, last }));
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
