import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { linkAfter, origin } from "../../src/adapters/journal/chain.ts";
import { openRunStore } from "../../src/adapters/journal/sqlite-run-store.ts";
import { keepForLooks } from "../../src/cli/engine/snapshot.ts";
import type { RunEvent, RunFact } from "../../src/domain/run/event.ts";
import { reduce } from "../../src/domain/run/reduce.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import { RunId } from "../../src/domain/values/ids.ts";
import type { Tip } from "../../src/ports/run-store.ts";
import type { RunBuilder } from "../store/run-builder.ts";
import { plumbing } from "../store/scenes.ts";

/** Records a run the way an engine leaves it: its journal, its row, and its kept state. */
export function record(
  home: string,
  built: RunBuilder,
  options: { readonly run?: string; readonly batchPath?: string; readonly kept?: boolean } = {},
): { readonly run: RunId; readonly state: RunState; readonly db: string } {
  const db = join(home, "loopdash.db");
  const run = RunId.parse(options.run ?? built.state.run);
  const batchPath = options.batchPath ?? built.state.batchPath;
  const events = built.events.map((event) => (event.type === "run-started" ? { ...event, run, batchPath } : event));
  const [first] = events;
  if (first?.type !== "run-started") throw new Error("the run has not started");
  const store = openRunStore(db);
  store.create({ run, name: first.batch.name, batchPath, batchFileSha: "0".repeat(64), startedAt: first.at });
  writeRows(db, run, events);
  const keep = keepForLooks({ run, store, journal: store.open(run), onProblem: (problem) => fail(problem) });
  let state: RunState | undefined;
  for (const event of events) {
    state = reduce(state, event);
    if (options.kept !== false) keep(event, state);
  }
  if (state === undefined) throw new Error("a run has a first event");
  if (state.end !== undefined && state.end.kind !== "interrupted") store.end(run, state.end);
  store.close();
  return { run, state, db };
}

/** A run whose agents keep printing until it has `events` events. It then ends as not done if `ends` is set. */
export function longRun({ ends, events }: { readonly events: number; readonly ends?: boolean }): RunBuilder {
  const run = plumbing();
  const talkers = ["T-4", "T-6", "T-7"];
  const last = ends === false ? events : events - 1;
  for (let i = 0; run.state.seq < last; i++)
    run.wait(0.1).of(talkers[i % talkers.length] ?? "T-4", { type: "activity", text: `line ${i} of the work`, lines: 1 });
  const end = { kind: "not-done", verdict: "not-done", exitCode: 1, reason: "7 of 11 tickets are open" } as const;
  if (ends !== false) run.play({ type: "run-ended", ...end });
  return run;
}

/** All in one transaction: the journal's own writer waits for the disk at each event. */
function writeRows(file: string, run: RunId, events: readonly RunEvent[]): void {
  const db = new DatabaseSync(file);
  const insert = db.prepare("INSERT INTO journal (run, seq, at, type, ticket, data, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  let tip: Tip = origin(run);
  db.exec("BEGIN");
  for (const { seq: _, at, ...fact } of events) {
    const row = linkAfter(tip, run, { at, fact: fact as RunFact, data: JSON.stringify(fact) });
    insert.run(run, row.seq, row.at, row.type, row.ticket, row.data, row.prev, row.hash);
    tip = row;
  }
  db.prepare("UPDATE runs SET head_seq = ?, head_hash = ? WHERE run = ?").run(tip.seq, tip.hash, run);
  db.exec("COMMIT");
  db.close();
}

function fail(problem: string): never {
  throw new Error(problem);
}
