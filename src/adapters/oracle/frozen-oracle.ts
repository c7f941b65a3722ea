import { mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { FrozenProgram, Oracle, OracleBatch, ReadListing, ServicePlace } from "../../ports/oracle.ts";
import { layOutCommand } from "./frozen-command.ts";
import { type FrozenFile, placeFrozen, refuseChanged } from "./frozen-file.ts";
import { oracleInput, oracleSha, type ReadablePlace, readableBatchBytes } from "./oracle-batch.ts";
import { type OracleReading, plainLine, readCommandOutput, readOracleOutput, unjudged } from "./oracle-output.ts";
import { type OracleExit, type OracleLaunch, runOracle } from "./oracle-process.ts";
import { askService, type ServiceAccess, serveLine } from "./service-line.ts";
import { readNodes } from "./service-nodes.ts";
import { type ListingOptions, NoListing, printedListing } from "./tracker-listing.ts";

export interface FrozenProgramOptions {
  /** `script`: a CommonJS script under Node's permission model, the default. `command`: a result of `freezeCommand`. */
  readonly kind?: "script" | "command";
  readonly bytes: Uint8Array;
  /** A folder that no worker can write. Each judgement makes a private folder in it and removes it again. */
  readonly scratch: string;
  /** The Node program that runs a script; default: the current one. */
  readonly node?: string;
  /** The PATH of a command; default: the system's own folders. */
  readonly path?: string;
  /** Time limit of a judgement, after which its process is killed. Milliseconds; default 20,000, and 90,000 for a service. */
  readonly deadlineMs?: number;
  /** What the program of a tracker runs with, if there is one. */
  readonly tracker?: Omit<ListingOptions, "signal"> | undefined;
  /** The service that keeps the tickets, if there is one, and what stands in for it in canaries. */
  readonly service?:
    | {
        readonly access: ServiceAccess;
        readonly openStandIn: OpenStandIn;
        /** The words before the oracle's command that take the network from it; empty on a system that cannot. */
        readonly withoutNetwork: readonly string[];
      }
    | undefined;
}

/** Opens a service on this machine that has the tickets of a file. */
export type OpenStandIn = (place: ServicePlace & { readonly file: string }) => Promise<StandIn>;
interface StandIn {
  readonly access: ServiceAccess;
  readonly close: () => Promise<void>;
}

/** Default time limits of a judgement. Milliseconds. A service may be asked several times, with pauses. */
const DEADLINE_MS = 20_000;
const SERVICE_DEADLINE_MS = 90_000;

/** The program, kept in memory from the start of the run: no change of a file can reach it. */
interface Frozen extends Required<Omit<FrozenProgramOptions, "service">> {
  readonly sha: string;
  readonly service: FrozenProgramOptions["service"];
  readonly tracker: NonNullable<FrozenProgramOptions["tracker"]>;
}

interface Asked {
  readonly batch: OracleBatch;
  readonly signal: AbortSignal | undefined;
  readonly how: "background" | undefined;
}

/**
 * An oracle whose bytes are fixed now. Each judgement runs them from a new private folder, as a process with a scrubbed
 * environment. A script may read that folder and the tracker, and may not write, load native code or start processes. A command
 * cannot run under Node's permission model: it has the user's rights, and loopdash only controls its bytes and its bounds.
 */
export function freezeProgram(options: FrozenProgramOptions): FrozenProgram & { readonly listing: ReadListing } {
  const bytes = Uint8Array.from(options.bytes);
  const path = options.path ?? "/usr/local/bin:/usr/bin:/bin";
  const frozen: Frozen = {
    bytes,
    sha: oracleSha(bytes),
    kind: options.kind ?? "script",
    scratch: options.scratch,
    node: options.node ?? process.execPath,
    path,
    deadlineMs: options.deadlineMs ?? (options.service === undefined ? DEADLINE_MS : SERVICE_DEADLINE_MS),
    service: options.service,
    tracker: options.tracker ?? { environment: () => Promise.resolve({ PATH: path }), deadlineMs: 60_000 },
  };
  return {
    sha: frozen.sha,
    listing: (tracker, tickets, signal) =>
      "keys" in tracker
        ? readNodes(tracker, tickets, { access: serviceAccess(frozen), signal })
        : printedListing(tracker, { ...frozen.tracker, signal }),
    async judge(batch, signal, how) {
      const startedAt = performance.now();
      const { reading: said, exitCode } = await judgeOnce(frozen, { batch, signal, how }).catch((cause: unknown) => {
        const problem = plainLine(errorMessage(cause));
        return { reading: unjudged(`the oracle could not be run: ${problem}`), exitCode: undefined };
      });
      const { evidence, ...reading } = said;
      const judgement = { ...reading, durationMs: Math.round(performance.now() - startedAt) };
      return { judgement, exitCode, evidence };
    },
  };
}

/**
 * A frozen program that judges one batch, which is fixed now too. Throws a UserError (exit 2) for a path that it cannot be given.
 */
export function createFrozenOracle({ batch, ...of }: FrozenProgramOptions & { readonly batch: OracleBatch }): Oracle {
  const input = batch.tracker.kind === "command" ? undefined : oracleInput(batch.tracker);
  if (input !== undefined) refuseWildcard(input);
  const program = freezeProgram(of);
  const fixed: OracleBatch = { version: 1, tracker: { ...batch.tracker }, tickets: [...batch.tickets] };
  return { sha: program.sha, judge: async (signal, how) => (await program.judge(fixed, signal, how)).judgement };
}

/** Node reads `*` in an allowed path as "anything". */
function refuseWildcard(path: string): void {
  if (!path.includes("*")) return;
  const todo = "Move the tickets to a path without it.";
  throw new UserError({
    what: `The tracker's path ${JSON.stringify(path)} cannot be used`,
    why: "it holds a '*'",
    todo,
    exitCode: EXIT.usage,
  });
}

/** The exit code of an oracle that cannot judge. */
const CANNOT_JUDGE = 2;

interface Read {
  readonly reading: OracleReading;
  readonly exitCode: number | undefined;
}

async function judgeOnce(frozen: Frozen, asked: Asked): Promise<Read> {
  if (asked.signal?.aborted === true) return { reading: unjudged("the judgement was cancelled"), exitCode: undefined };
  // Node's permission model compares real paths for the program it starts.
  const folder = await mkdtemp(join(await realpath(frozen.scratch), "oracle-"));
  try {
    const place = await trackerToRead(frozen, asked, folder);
    if ("unread" in place) return { reading: unjudged(place.unread), exitCode: CANNOT_JUDGE };
    const batch = await placeFrozen(join(folder, "batch.json"), readableBatchBytes(place, asked.batch.tickets));
    const { files, ...launch } = await oracleLaunch(frozen, asked, { folder, batch: batch.path, place });
    const exit = await withLine(frozen, place, asked.signal, (line) => runOracle({ ...launch, line }));
    if ("problem" in exit) return { reading: unjudged(exit.problem), exitCode: undefined };
    await refuseChanged([batch, ...files]);
    const read = frozen.kind === "script" ? readOracleOutput : readCommandOutput;
    return { reading: read({ ...exit, tickets: asked.batch.tickets }), exitCode: exit.exitCode };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the oracle with a line to the service that it reads, or to what stands in for it; without one if it reads no service. */
async function withLine(
  frozen: Frozen,
  place: ReadablePlace,
  signal: AbortSignal | undefined,
  run: (line: OracleLaunch["line"]) => Promise<OracleExit>,
): Promise<OracleExit> {
  if (!("keys" in place)) return run(undefined);
  const { kind, file } = place;
  const standIn = file === undefined ? undefined : await frozen.service?.openStandIn({ ...place, file });
  try {
    const access = standIn?.access ?? serviceAccess(frozen);
    return await run((line) => serveLine(line, (text) => askService({ kind, access }, text, signal)));
  } finally {
    await standIn?.close();
  }
}

function serviceAccess({ service }: Frozen): ServiceAccess {
  if (service === undefined) throw new TypeError("nothing reaches the service");
  return service.access;
}

/** What the oracle reads: the tracker itself, or what its program prints now, in a file of this judgement alone. */
async function trackerToRead(
  frozen: Frozen,
  { batch: { tracker }, signal }: Asked,
  folder: string,
): Promise<ReadablePlace | { readonly unread: string }> {
  if (tracker.kind !== "command") return tracker;
  const text = await printedListing(tracker, { ...frozen.tracker, signal }).catch((error: unknown) => {
    if (error instanceof NoListing) return { unread: error.message };
    throw error;
  });
  if (typeof text !== "string") return text;
  const { path } = await placeFrozen(join(folder, "listing.jsonl"), new TextEncoder().encode(text));
  return { kind: "listing", file: path };
}

/** `files`: the program's files with their stamps. */
type Launch = OracleLaunch & { readonly files: readonly FrozenFile[] };

async function oracleLaunch(
  frozen: Frozen,
  asked: Asked,
  { folder, batch, place }: { readonly folder: string; readonly batch: string; readonly place: ReadablePlace },
): Promise<Launch> {
  const { node, path, deadlineMs, kind } = frozen;
  const common = { folder, deadlineMs, signal: asked.signal, how: asked.how };
  if (kind === "command") {
    const { argv, files } = await layOutCommand(frozen.bytes, folder);
    return { ...common, argv: [...argv, batch], files, env: { PATH: path, LANG: "C.UTF-8" }, family: true };
  }
  const program = await placeFrozen(join(folder, "oracle.cjs"), frozen.bytes);
  const input = oracleInput(place);
  const flags = ["--permission", ...[folder, ...(input === undefined ? [] : [input])].map((path) => `--allow-fs-read=${path}`)];
  const [first = node, ...more] = [...("keys" in place ? (frozen.service?.withoutNetwork ?? []) : []), node, ...flags];
  return { ...common, argv: [first, ...more, program.path, batch], files: [program], env: {}, family: false };
}
