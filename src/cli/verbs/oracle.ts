import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import { createFrozenOracle } from "../../adapters/oracle/frozen-oracle.ts";
import { isKeptOutside } from "../../domain/batch/tracker-spec.ts";
import { joinedTickets } from "../../domain/outbox/discovery.ts";
import type { VerdictWord } from "../../domain/run/event.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { jsonText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { lastRun } from "../engine/carry-over.ts";
import { stateFromJournal } from "../engine/journal-state.ts";
import { loadBatch } from "../engine/load-batch.ts";
import { oracleBytesOf, oracleKind } from "../engine/oracle-program.ts";
import { freezeTracker, trackerOf } from "../engine/run-tracker.ts";
import { writeAll } from "../print.ts";
import { printError } from "../report-errors.ts";
import { runFolder, type StateHome, stateHome } from "../state-home.ts";

/** Exit codes of the oracle itself (docs/inside/architecture.md#the-oracle). */
const ORACLE_EXIT = { done: 0, "not-done": 1, unjudged: 2 } as const satisfies Record<VerdictWord, number>;

/**
 * Runs the oracle once, the way a run does: the same bytes in a process of their own, the tracker of the batch's newest run if
 * the tracker is embedded, and with the tickets that its workers found. Any obstacle is "cannot judge", exit 2.
 */
export async function oracle(file: string): Promise<number> {
  try {
    return await ask(file);
  } catch (error) {
    printError(error);
    return ORACLE_EXIT.unjudged;
  }
}

async function ask(file: string): Promise<number> {
  const loaded = await loadBatch(file, { cwd: process.cwd() });
  const scratch = mkdtempSync(join(tmpdir(), "loopdash-oracle-"));
  try {
    const last = lastOf(loaded.path, isKeptOutside(loaded.batch.tracker));
    const bytes = await oracleBytesOf(loaded.batch, { folder: loaded.folder, path: process.env.PATH ?? "" });
    const tickets = [...new Set([...loaded.batch.tickets.map((ticket) => ticket.id), ...last.found])];
    const { place } = trackerOf(loaded.batch, last.folder, { frozen: await freezeTracker(loaded, tickets) });
    const frozen = createFrozenOracle({
      kind: oracleKind(loaded.batch),
      bytes,
      batch: { version: 1, tracker: place, tickets },
      scratch,
      ...loaded.outside?.oracleAccess,
    });
    const judgement = await frozen.judge();
    writeAll(1, jsonText({ oracle: frozen.sha, ...judgement }));
    if (judgement.problem !== undefined) writeAll(2, `loopdash oracle: cannot judge: ${judgement.problem}\n`);
    return ORACLE_EXIT[judgement.verdict];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The folder of the batch's newest run, and the tickets found by its workers, or by those of an earlier run. */
function lastOf(batchPath: string, keptOutside: boolean): { readonly folder: string; readonly found: readonly TicketId[] } {
  const home = stateHome(process.env, process.cwd());
  const run = existsSync(home.db) ? foundIn(home, batchPath) : undefined;
  if (run !== undefined) return run;
  if (keptOutside) return { folder: home.runs, found: [] };
  throw new UserError({
    what: "the oracle cannot judge",
    why: "the batch keeps its tickets in an embedded tracker, which its first run makes, and there was no run yet",
    todo: "Start one: loopdash batch.json",
    exitCode: EXIT.usage,
  });
}

function foundIn(home: StateHome, batchPath: string) {
  const store = openRunStore(home.db);
  try {
    const row = lastRun(store, batchPath);
    if (row === undefined) return undefined;
    const found = joinedTickets(stateFromJournal(store.openForReading(row.run), row.run));
    return { folder: runFolder(home, row.run), found: found.map((ticket) => ticket.id) };
  } finally {
    store.close();
  }
}
