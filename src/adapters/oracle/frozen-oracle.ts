import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import type { TicketId } from "../../domain/ids.ts";
import { EXIT, UserError } from "../../domain/user-error.ts";
import type { Oracle } from "../../ports/oracle.ts";
import { type OracleBatch, oracleBatchBytes, oracleInput, oracleSha } from "./oracle-batch.ts";
import { plainLine, type Reading, readOracleOutput, unjudged } from "./oracle-output.ts";

export interface FrozenOracleOptions {
  readonly bytes: Uint8Array;
  readonly batch: OracleBatch;
  /** A folder that no worker can write. Each judgement makes a private folder in it and removes it again. */
  readonly scratch: string;
  /** The Node program that runs the oracle; default: the one that runs this. */
  readonly node?: string;
  /** Milliseconds until a judgement is given up and its process killed; default 20,000. */
  readonly deadlineMs?: number;
}

/** Bound of what the oracle may print, stdout and stderr each. Characters. */
const MAX_OUTPUT = 16 * 1024 * 1024;

/** What is run, kept in memory from the start of the run: no change of a file can reach it. */
interface Frozen {
  readonly oracle: Uint8Array;
  readonly oracleSha: string;
  readonly batch: Uint8Array;
  readonly batchSha: string;
  readonly tickets: readonly TicketId[];
  readonly input: string;
  readonly options: Required<Pick<FrozenOracleOptions, "scratch" | "node" | "deadlineMs">>;
}

/**
 * An oracle whose bytes and batch are fixed now. Each judgement runs them from a fresh private folder, as a process with an
 * empty environment that may read that folder and the tracker, and may not write, load native code or start processes.
 */
export function createFrozenOracle(of: FrozenOracleOptions): Oracle {
  refuseWildcard(oracleInput(of.batch));
  const oracle = Uint8Array.from(of.bytes);
  const batch = oracleBatchBytes(of.batch);
  const frozen: Frozen = {
    oracle,
    oracleSha: oracleSha(oracle),
    batch,
    batchSha: oracleSha(batch),
    tickets: [...of.batch.tickets],
    input: oracleInput(of.batch),
    options: { scratch: of.scratch, node: of.node ?? process.execPath, deadlineMs: of.deadlineMs ?? 20_000 },
  };
  return {
    sha: frozen.oracleSha,
    async judge(signal) {
      const startedAt = performance.now();
      const reading = await judgeOnce(frozen, signal).catch((cause: unknown) => {
        const problem = plainLine(cause instanceof Error ? cause.message : String(cause));
        return unjudged(`the oracle could not be run: ${problem}`);
      });
      return { ...reading, durationMs: Math.round(performance.now() - startedAt) };
    },
  };
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

async function judgeOnce(frozen: Frozen, signal: AbortSignal | undefined): Promise<Reading> {
  if (signal?.aborted === true) return unjudged("the judgement was called off");
  // Node's permission model compares real paths for the program it starts.
  const folder = await mkdtemp(join(await realpath(frozen.options.scratch), "oracle-"));
  try {
    const program = await place(join(folder, "oracle.mjs"), frozen.oracle, frozen.oracleSha);
    const batch = await place(join(folder, "batch.json"), frozen.batch, frozen.batchSha);
    return await run(frozen, { folder, program, batch, signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes a file and sees that what lies there is what was frozen. */
async function place(file: string, bytes: Uint8Array, sha: string): Promise<string> {
  await writeFile(file, bytes, { flag: "wx", mode: 0o400 });
  if (oracleSha(await readFile(file)) !== sha) throw new Error("what was written for it to run is not what was frozen");
  return file;
}

async function run(
  frozen: Frozen,
  of: { readonly folder: string; readonly program: string; readonly batch: string; readonly signal: AbortSignal | undefined },
): Promise<Reading> {
  const { node, deadlineMs } = frozen.options;
  const flags = ["--permission", `--allow-fs-read=${of.folder}`, `--allow-fs-read=${frozen.input}`];
  const result = await execa(node, [...flags, of.program, of.batch], {
    cwd: of.folder,
    env: {},
    extendEnv: false,
    preferLocal: false,
    stdin: "ignore",
    stripFinalNewline: false,
    reject: false,
    timeout: deadlineMs,
    killSignal: "SIGKILL",
    maxBuffer: MAX_OUTPUT,
    ...(of.signal !== undefined && { cancelSignal: of.signal }),
  });
  if (result.isCanceled) return unjudged("the judgement was called off");
  if (result.timedOut) return unjudged(`the oracle gave no verdict within ${deadlineMs} ms and was killed`);
  if (result.isMaxBuffer) return unjudged(`the oracle printed more than ${MAX_OUTPUT} characters and was killed`);
  if (result.signal !== undefined) return unjudged(`the oracle was ended by ${result.signal}`);
  if (result.exitCode === undefined) return unjudged(`the oracle could not be started: ${plainLine(result.message ?? "")}`);
  const { exitCode, stdout, stderr } = result;
  return readOracleOutput({ exitCode, stdout, stderr, tickets: frozen.tickets });
}
