import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { createLocks } from "../../adapters/locks/sqlite-locks.ts";
import { createFrozenOracle } from "../../adapters/oracle/frozen-oracle.ts";
import { isKeptOutside } from "../../domain/batch/tracker-spec.ts";
import { RunId } from "../../domain/values/ids.ts";
import { errorMessage, plural } from "../../domain/values/text.ts";
import { UserError } from "../../domain/values/user-error.ts";
import type { TrackerPlace } from "../../ports/oracle.ts";
import { batchLock } from "../engine/engine-locks.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { oracleBytesOf, oracleKind } from "../engine/oracle-program.ts";
import { checkOutsideRepositories } from "../engine/outside-repositories.ts";
import { remedyFor } from "../engine/outside-tracker.ts";
import { freezeTracker, trackerOf } from "../engine/run-tracker.ts";
import { runFolder, type StateHome } from "../state-home.ts";
import { bad, type CheckResult, ok } from "./check-result.ts";
import { withProbeFolder } from "./probe-folder.ts";
import { lookIntoRecords } from "./records.ts";

/**
 * Checks that every ticket of the batch can be read by the tracker's adapter, and by the batch's oracle, which understands less.
 * `programs` is the PATH.
 */
export async function checkTracker(loaded: LoadedBatch, home: StateHome, programs: string): Promise<readonly CheckResult[]> {
  const { batch, path } = loaded;
  try {
    checkOutsideRepositories(batch, home.root);
    const folder = isKeptOutside(batch.tracker) ? home.runs : unfinishedRunFolder(path, home);
    if (folder === undefined)
      return [ok("tracker", `${plural(batch.tickets.length, "ticket")}; a new run keeps them with its own state`)];
    const ids = batch.tickets.map((ticket) => ticket.id);
    const { tracker, place } = trackerOf(batch, folder, { frozen: await freezeTracker(loaded, ids) });
    // A tracker that answers requests was read with the batch.
    const count = loaded.outside === undefined ? (await tracker.snapshot()).length : ids.length;
    const bytes = await oracleBytesOf(batch, { folder: loaded.folder, path: programs });
    const kind = oracleKind(batch);
    const { verdict, problem } = await withProbeFolder(tmpdir(), (scratch) =>
      createFrozenOracle({
        ...{ kind, bytes, scratch, ...loaded.outside?.oracleAccess },
        batch: { version: 1, tracker: place, tickets: ids },
      }).judge(),
    );
    const where = nameOf(place);
    if (verdict !== "unjudged")
      return [ok("tracker", `${plural(count, "ticket")} readable in ${where}; the oracle says ${verdict}`)];
    const why = problem ?? "no reason given";
    return [bad("tracker", `the oracle cannot judge ${where}: ${why}`, remedyFor(batch.tracker.kind))];
  } catch (error) {
    if (error instanceof UserError) return [bad("tracker", `${error.what}: ${error.why}`, error.todo)];
    const why = errorMessage(error);
    return [bad("tracker", `not every ticket can be read: ${why}`, "Fix what it names and ask again.")];
  }
}

/**
 * Checks that webhooks can be received, by receiving for a moment. While a run of the batch goes on, its engine has the port, and
 * nothing is tried.
 */
export async function checkWebhook({ batch, outside, path }: LoadedBatch, home: StateHome): Promise<readonly CheckResult[]> {
  const { tracker } = batch;
  if (outside?.listen === undefined || !("webhook" in tracker) || tracker.webhook === undefined) return [];
  const { port } = tracker.webhook;
  if (existsSync(home.locks) && createLocks(home.locks).isHeld(batchLock(path)))
    return [ok("webhook", `a run of this batch is going on, and receives them on port ${port}`)];
  try {
    await (await outside.listen()).close();
    return [ok("webhook", `port ${port} of 127.0.0.1 is free, and the secret is there`)];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [bad("webhook", `${error.what}: ${error.why}`, error.todo)];
  }
}

function nameOf(place: TrackerPlace): string {
  if ("keys" in place) return place.kind === "linear" ? "Linear" : "GitHub";
  if (place.kind === "command") return "the tracker";
  return place.kind === "folder" ? place.folder : place.file;
}

/** The run folder, with the tickets, that a start would resume; undefined if a start makes a new run. */
function unfinishedRunFolder(batchPath: string, home: StateHome): string | undefined {
  if (!existsSync(home.db)) return undefined;
  const sql = "SELECT run FROM runs WHERE batch_path = ? AND ended_at IS NULL ORDER BY started_at DESC, rowid DESC LIMIT 1";
  const run = lookIntoRecords(home.db, (db) => db.prepare(sql).get(batchPath)?.["run"]);
  return run === undefined ? undefined : runFolder(home, RunId.parse(run));
}
