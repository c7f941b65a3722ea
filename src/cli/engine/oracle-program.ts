import { join } from "node:path";
import { keepsEvidence } from "../../adapters/oracle/evidence-file.ts";
import { freezeCommand, freezeTrackerProgram } from "../../adapters/oracle/frozen-command.ts";
import { freezeProgram } from "../../adapters/oracle/frozen-oracle.ts";
import { loadOracleBytes } from "../../adapters/oracle/load-oracle.ts";
import { createCanaryTripwire } from "../../adapters/tripwire/canary-tripwire.ts";
import { tripwireSha } from "../../adapters/tripwire/code-sha.ts";
import { createCrossCheckedOracle } from "../../adapters/tripwire/cross-checked-oracle.ts";
import { createDecoyFolders } from "../../adapters/tripwire/write-tracker.ts";
import type { Batch, Ticket } from "../../domain/batch/schema.ts";
import type { FrozenSet } from "../../domain/run/frozen-set.ts";
import { buildFrozenSet } from "../../domain/run/frozen-set.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { type Oracle, type OracleBatch, type TrackerPlace, withEvidence } from "../../ports/oracle.ts";
import type { Tripwire } from "../../ports/tripwire.ts";
import { packageFiles } from "../package-files.ts";
import type { OutsideTracker } from "./outside-tracker.ts";
import type { RunTracker } from "./run-tracker.ts";

/** Where every system has its own programs. */
const SYSTEM_PATH = "/usr/bin:/bin";

/** The form of a batch's oracle: the shipped one is a module, the user's own is a command. */
export function oracleKind(batch: Batch): "script" | "command" {
  return batch.oracle === undefined ? "script" : "command";
}

/** The file in which a run keeps the bytes of its oracle. */
export function oracleFile(batch: Batch, runFolder: string): string {
  return join(runFolder, batch.oracle === undefined ? "oracle.cjs" : "oracle.json");
}

/** The current bytes of a batch's oracle, to be frozen. `folder` is the base of its command's relative paths. */
export function oracleBytesOf(batch: Batch, options: { readonly folder: string; readonly path: string }): Promise<Uint8Array> {
  return batch.oracle === undefined ? loadOracleBytes(packageFiles().oracle) : freezeCommand(batch.oracle.command, options);
}

/** The current frozen set. */
export function frozenNow(batch: Batch, oracleSha: string, batchSha: string): FrozenSet {
  return buildFrozenSet({ batch, oracleSha, batchSha, tripwireSha: tripwireSha() });
}

/** A service with the keys of tickets that were found since it was frozen. A frozen key stays. */
function withFoundKeys(place: TrackerPlace, found: readonly TicketId[], keys: RunTracker["keys"]): TrackerPlace {
  if (!("keys" in place) || keys === undefined || found.length === 0) return place;
  const known = keys();
  const added = found.flatMap((id) => (known.has(id) ? [[id, known.get(id)]] : []));
  return { ...place, keys: { ...Object.fromEntries(added), ...place.keys } };
}

/**
 * Creates the run's oracle, its cross-checked copies and the tripwire, all over the same frozen bytes. They cover the frozen
 * batch and the journal's additions: nothing can remove a ticket.
 */
export function judgesOf(options: {
  readonly batch: Batch;
  readonly bytes: Uint8Array;
  /** As it was frozen. */
  readonly oracleBatch: OracleBatch;
  /** The run's current tickets: those of the frozen batch, then those that workers have found since. */
  readonly tickets: () => readonly Ticket[];
  readonly batchSha: string;
  readonly recorded: FrozenSet | undefined;
  readonly runFolder: string;
  /** A folder for the oracle's runs only. */
  readonly scratch: string;
  /** What the oracle reads an outside tracker with; undefined if the tracker is files of this machine. */
  readonly oracleAccess?: OutsideTracker["oracleAccess"] | undefined;
  /** The tracker's keys of tickets that were found since the batch was frozen, if it has keys. */
  readonly keys?: RunTracker["keys"];
}): { readonly oracle: Oracle; readonly tripwire: Tripwire } {
  const { batch, oracleBatch, runFolder } = options;
  const { bytes, scratch } = options;
  const program = freezeProgram({ kind: oracleKind(batch), bytes, scratch, ...options.oracleAccess });
  const hides = createDecoyFolders({
    run: runFolder,
    list: join(runFolder, "canaries"),
    real: oracleBatch.tracker,
    printer: (file, folder) => freezeTrackerProgram(["cat", file], { folder, path: SYSTEM_PATH }),
  });
  const canaries = batch.oracle?.reads !== "elsewhere";
  const frozen = oracleBatch.tickets;
  const grown = (): OracleBatch => {
    const found = options.tickets().slice(frozen.length);
    const ids = found.map((ticket) => ticket.id);
    return { ...oracleBatch, tracker: withFoundKeys(oracleBatch.tracker, ids, options.keys), tickets: [...frozen, ...ids] };
  };
  const common = { program, batch: grown, hides, plain: batch.oracle !== undefined, listing: program.listing };
  const kept = keepsEvidence(program, { folder: runFolder, tracker: oracleBatch.tracker });
  const plainOracle: Oracle = {
    sha: program.sha,
    judge: async (signal, how) => withEvidence(await kept.judge(grown(), signal, how)),
  };
  return {
    oracle: canaries ? createCrossCheckedOracle({ ...common, program: kept }) : plainOracle,
    tripwire: createCanaryTripwire({
      ...common,
      like: () => ({ tickets: options.tickets() }),
      canaries,
      recorded: options.recorded,
      frozen: () => frozenNow(batch, program.sha, options.batchSha),
    }),
  };
}
