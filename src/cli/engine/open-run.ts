import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createFrozenOracle } from "../../adapters/oracle/frozen-oracle.ts";
import { oracleBatchBytes, oracleSha as shaOf } from "../../adapters/oracle/oracle-batch.ts";
import { tripwireSha } from "../../adapters/tripwire/code-sha.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { carriedOverChecks, isClosedSince, landingsUpTo } from "../../domain/run/carry-over.ts";
import { firstReading } from "../../domain/run/drift-fact.ts";
import type { RunEvent, RunFact } from "../../domain/run/event.ts";
import { whyHeld } from "../../domain/run/reconcile-tracker.ts";
import { reduce } from "../../domain/run/reduce.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import { RunId, type TicketId } from "../../domain/values/ids.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Oracle, OracleBatch } from "../../ports/oracle.ts";
import type { Journal, RunStore } from "../../ports/run-store.ts";
import type { Tracker, TrackerTicket } from "../../ports/tracker.ts";
import { runFolder, type StateHome } from "../state-home.ts";
import { VERSION } from "../version.ts";
import {
  findCarriedOverWork,
  findReopened,
  previousRun,
  runToContinue,
  settleCarriedOver,
  withJoinedTickets,
} from "./carry-over.ts";
import { type OtherSessions, startOfDay } from "./day-budget.ts";
import { stateFromJournal, tampered } from "./journal-state.ts";
import type { LoadedBatch } from "./load-batch.ts";
import { frozenNow, oracleBytesOf, oracleFile, oracleKind } from "./oracle-program.ts";
import { type OutsideTracker, refuseUnread, remedyFor } from "./outside-tracker.ts";
import type { RunEnvironment } from "./preflight.ts";
import { freezeTracker, type RunTracker, readFrozenTracker, trackerOf, writeFrozenPlace } from "./run-tracker.ts";

/** A run with an open journal, its tracker and the frozen bytes of its oracle. */
export interface OpenRun {
  readonly run: RunId;
  readonly folder: string;
  readonly journal: Journal;
  readonly state: RunState;
  readonly tracker: Tracker;
  readonly oracleBytes: Uint8Array;
  /** As it was frozen when the run began. */
  readonly oracleBatch: OracleBatch;
  /** The tracker's keys of tickets that were found since, if it has keys. */
  readonly keys?: RunTracker["keys"];
  /** The first event if the run begins now; absent if it is resumed. */
  readonly started?: RunEvent;
  /** The events by which a person's changes of the batch file came to a resumed run. */
  readonly changed?: readonly RunEvent[];
}

/** A new run name: the batch's name, the day, and four random hexadecimal digits. Valid in a branch name. */
export function newRunId(name: string, now: Date): RunId {
  const slug =
    name
      .replace(/[^A-Za-z0-9]+/g, "-")
      .replace(/^-+|(?<!-)-+$/g, "")
      .slice(0, 30) || "run";
  const day = now.toISOString().slice(0, 10).replaceAll("-", "");
  return RunId.parse(`${slug}-${day}-${randomBytes(2).toString("hex")}`);
}

type Started = Extract<RunFact, { type: "run-started" }>;

/** A run that only checks what has landed: one ticket, or all of them. */
export interface ChecksOnly {
  readonly ticket?: TicketId;
}

interface BeginOptions {
  loaded: LoadedBatch;
  world: RunEnvironment;
  home: StateHome;
  store: RunStore;
  run: RunId;
  now: number;
  fresh: boolean;
  /** The unfinished run that a person gave up for this one. */
  gaveUp?: RunId;
  checksOnly?: ChecksOnly | undefined;
  attended?: boolean | undefined;
  others?: OtherSessions | undefined;
}

/** Begins a run: freezes batch and oracle, seeds the embedded tracker, writes the first event. */
export async function beginRun(options: BeginOptions): Promise<OpenRun> {
  const { loaded, home, store, run, now } = options;
  if (loaded.batch.tickets.length === 0) throw nothingSelected();
  const checksOnly = options.checksOnly !== undefined;
  const last = options.fresh ? undefined : runToContinue(store, { batchPath: loaded.path, run, checksOnly });
  const batch = last === undefined ? loaded.batch : await withJoinedTickets(loaded.batch, last, loaded.outside);
  const folder = runFolder(home, run);
  const { oracleBytes, tracker, place, keys } = await freezeIn(folder, batch, options);
  const carriedOver = last === undefined ? [] : await findCarriedOverWork({ last, batch, world: options.world });
  if (last !== undefined && place.kind === "embedded")
    await settleCarriedOver({ last, batch, world: options.world, tracker, left: carriedOver });
  const earlier = previousRun(store, { batchPath: loaded.path, run }, last);
  const tickets = await tracker.snapshot().catch((cause: unknown) => {
    if (loaded.outside === undefined) throw cause;
    return refuseUnread(cause, batch.tracker.kind);
  });
  const reopened = await findReopened({ earlier, tickets, batch, world: options.world, carriedOver });
  const oracleBatch: OracleBatch = { version: 1, tracker: place, tickets: batch.tickets.map((t) => t.id) };
  const oracleSha = await triedOracle(oracleBytes, oracleBatch, { batch, folder, loaded });
  const batchSha = shaOf(oracleBatchBytes(oracleBatch));
  const journal = store.create({ run, name: batch.name, batchPath: loaded.path, batchFileSha: loaded.sha, startedAt: now });
  const first = journal.append({
    type: "run-started",
    run,
    batch,
    batchPath: loaded.path,
    oracleSha,
    batchSha,
    frozen: frozenNow(batch, oracleSha, batchSha),
    sandboxed: options.world.sandbox !== undefined,
    ...asFound(tickets, earlier),
    reopened: reopened.length > 0 ? reopened : undefined,
    ...repoUrlsOf(options.world),
    gaveUp: options.gaveUp,
    durations: store.durations(loaded.path),
    spentTodayUsd: store.spentSince(startOfDay(now), run) + (options.others?.usd ?? 0),
    ...(last === undefined ? {} : { carriedOver, failingChecks: carriedOverChecks(last, batch) }),
    ...checksOf(options.checksOnly),
    attended: options.attended || undefined,
    version: VERSION,
  });
  const state = reduce(undefined, first);
  return { run, folder, journal, state, tracker, oracleBytes, oracleBatch, keys, started: first };
}

/** Makes the run's folder, with the frozen bytes of its oracle and the frozen place of its tracker. */
async function freezeIn(
  folder: string,
  batch: Batch,
  { loaded, world }: Pick<BeginOptions, "loaded" | "world">,
): Promise<RunTracker & { readonly oracleBytes: Uint8Array }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const oracleBytes = await oracleBytesOf(batch, { folder: loaded.folder, path: world.commandEnv.PATH ?? "" });
  await writeFile(oracleFile(batch, folder), oracleBytes, { mode: 0o600 });
  const ids = batch.tickets.map(({ id }) => id);
  const frozen = await freezeTracker(loaded, ids);
  if (frozen !== undefined) await writeFrozenPlace(folder, frozen);
  const tracker = trackerOf(batch, folder, { frozen });
  await tracker.seed();
  return { ...tracker, oracleBytes };
}

/**
 * The hash of the oracle, which was created once, so that a path that no oracle can get is refused before the run exists. Throws a
 * UserError (exit 3) if it cannot judge people's own tickets.
 */
async function triedOracle(
  bytes: Uint8Array,
  oracleBatch: OracleBatch,
  { batch, folder, loaded }: { readonly batch: Batch; readonly folder: string; readonly loaded: LoadedBatch },
): Promise<string> {
  const kind = oracleKind(batch);
  const oracle = createFrozenOracle({ kind, bytes, batch: oracleBatch, scratch: folder, ...loaded.outside?.oracleAccess });
  if (oracleBatch.tracker.kind !== "embedded") await refuseUnjudgeable(oracle, batch.tracker.kind);
  return oracle.sha;
}

function repoUrlsOf({ repos }: RunEnvironment): Pick<Started, "repoUrls"> {
  const urls = [...repos].flatMap(([id, { url }]) => (url === undefined ? [] : [[id, url] as const]));
  return urls.length === 0 ? {} : { repoUrls: Object.fromEntries(urls) };
}

function checksOf(options: ChecksOnly | undefined): Pick<Started, "checksOnly" | "checksTicket"> {
  if (options === undefined) return {};
  return { checksOnly: true, checksTicket: options.ticket };
}

function nothingSelected(): UserError {
  return new UserError({
    what: "there is nothing to do",
    why: "the query of the tracker selects no tickets",
    todo: 'If they are all closed, that is why: a search such as "is:open" finds closed issues no more. Else look at the keys of "tracker".',
    exitCode: EXIT.usage,
  });
}

/** The tickets of the batch as the run finds them: those that are settled already, and a baseline for people's acts. */
function asFound(
  tickets: readonly TrackerTicket[],
  earlier: RunState | undefined,
): Required<Pick<Started, "settled" | "tracked">> {
  const landings = earlier === undefined ? undefined : landingsUpTo(earlier);
  const settled = tickets.flatMap(({ id, state }) => {
    if (state.as === "open") return [];
    const landed = landings?.get(id);
    const step = state.as === "human-gated" ? { step: state.step } : {};
    const closed =
      earlier !== undefined && state.as === "done" && isClosedSince(earlier, id) ? { closedByPerson: true as const } : {};
    return [{ id, as: state.as, ...step, landedEarlier: landed && { ...landed, ...closed } }];
  });
  return { settled, tracked: tickets.map((ticket) => firstReading(asBefore(ticket, earlier))) };
}

/** A ticket with the person that it was assigned to when the last run began: one that was given away since stays with that person. */
function asBefore(ticket: TrackerTicket, earlier: RunState | undefined): TrackerTicket {
  const isKnown = earlier !== undefined && Object.hasOwn(earlier.plan.index, ticket.id);
  const words = isKnown ? ticketById(earlier, ticket.id).tracked?.words : undefined;
  if (words?.assignee === undefined || ticket.assignee === undefined) return ticket;
  const held = whyHeld(words, ticket);
  return { ...ticket, assignee: words.assignee, ...(held !== undefined && { held }) };
}

/**
 * The tracker may understand people's own files that the oracle, which understands less on purpose, does not. This reports it at
 * the start instead of at the end of the night. Throws a UserError (exit 3).
 */
async function refuseUnjudgeable(oracle: Oracle, kind: Batch["tracker"]["kind"]): Promise<void> {
  const { problem, verdict } = await oracle.judge();
  if (verdict !== "unjudged") return;
  throw new UserError({
    what: "the oracle cannot judge this tracker",
    why: problem ?? "no reason given",
    todo: remedyFor(kind),
    exitCode: EXIT.unjudged,
  });
}

/** Opens a run that another engine left. Throws a UserError: exit 3 if the frozen oracle or the journal has changed. */
export async function resumeRun(options: {
  run: RunId;
  home: StateHome;
  store: RunStore;
  outside?: OutsideTracker | undefined;
}): Promise<OpenRun> {
  const folder = runFolder(options.home, options.run);
  // Read before it is opened for writing: that open also refuses a journal with a changed end, but without a remedy.
  const state = stateFromJournal(options.store.openForReading(options.run), options.run);
  refuseOtherVersion(options.run, state);
  const journal = options.store.open(options.run);
  const oracleBytes = await readFile(oracleFile(state.batch, folder)).catch((cause: unknown) => {
    throw tampered(options.run, "its frozen oracle cannot be read", cause);
  });
  if (shaOf(oracleBytes) !== state.oracleSha) throw tampered(options.run, "its frozen oracle is not the one it began with");
  const found = state.plan.tickets.slice(state.batch.tickets.length).map((ticket) => ticket.id);
  const filed = found.filter((id) => ticketById(state, id).unfiled === undefined);
  const tickets = state.batch.tickets.map((t) => t.id);
  const frozen = options.outside && (await readFrozenTracker(options.outside, { folder, run: options.run, tickets }));
  const { tracker, place, keys } = trackerOf(state.batch, folder, { found: filed, frozen });
  const oracleBatch: OracleBatch = { version: 1, tracker: place, tickets };
  if (shaOf(oracleBatchBytes(oracleBatch)) !== state.batchSha)
    throw tampered(options.run, "its batch is not the one it began with");
  return { run: options.run, folder, journal, state, tracker, oracleBytes, oracleBatch, keys };
}

/**
 * The tripwire of another version would fire and end the run. This refuses before anything is written, so that the version that
 * began the run can still resume it. If the same version's tripwire has changed, it fires. Throws a UserError (exit 3).
 */
function refuseOtherVersion(run: RunId, { frozen, version }: RunState): void {
  if (frozen === undefined || version === VERSION || frozen.tripwire === tripwireSha()) return;
  throw new UserError({
    what: `the run ${run} was started by loopdash ${version}, and this is ${VERSION}`,
    why: "the two versions test the oracle differently, and a run keeps the test that it began with",
    todo: `Resume it with loopdash ${version}, or start a new run with --fresh.`,
    exitCode: EXIT.unjudged,
  });
}
