import { mkdtemp, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { ParseTask, ResultsReading } from "@loopdash/test-evidence/reports";
import { PARSE_MIB, PARSE_MS } from "@loopdash/test-evidence/reports";
import type { TestResultsReader } from "../../ports/test-results.ts";
import { inThread } from "../in-thread.ts";
import { readFound, variablesFor } from "./found-results.ts";
import { changedAt, linkOnTheWay, readResultsFile, removeOld } from "./results-file.ts";

/**
 * Reads test results, each in a thread of its own with a bound on memory and time: hostile results cost the engine no more than
 * that. `program` with `args` is the thread's program (see serve-results.ts); `timeoutMs` is for tests.
 */
export function createTestResultsReader(options: {
  readonly program: string;
  readonly args: readonly string[];
  readonly timeoutMs?: number;
}): TestResultsReader {
  const parse = (task: ParseTask) => readInThread(options, task);
  return {
    async await({ format, folder, path, written = folder }) {
      const notBefore = Date.now();
      if ((await linkOnTheWay(folder, path)) !== undefined) {
        const problem = "the way to it leads through something that is not a folder";
        return { read: () => Promise.resolve({ ok: false, absent: false, problem }) };
      }
      await removeOld(folder, path);
      const since = await now(written);
      return {
        async read(roots) {
          const file = await readResultsFile({ folder: written, path, since });
          return file.ok ? parse({ format, bytes: file.bytes, roots, notBefore }) : file;
        },
      };
    },
    async find({ artifacts, checkout }) {
      const [notBefore, since] = [Date.now(), await now(artifacts)];
      return {
        reporters: REPORTERS,
        variables: (results, env) => variablesFor({ reporters: REPORTERS, results, env }),
        read: (outputs, roots) =>
          readFound({ folder: artifacts, checkout, since, outputs }, (format, bytes) =>
            parse({ format, bytes, roots, notBefore }),
          ),
      };
    },
    parse: ({ format, text, roots }) => parse({ format, bytes: new TextEncoder().encode(text), roots, notBefore: 0 }),
  };
}

/** The files that make test runners report: beside this one, and beside the bundle. */
const REPORTERS = join(import.meta.dirname, "reporters");

/** The present by the clock of the folder's disk, which may be coarser than the system's. Leaves no file behind. */
async function now(folder: string): Promise<bigint> {
  const probe = await mkdtemp(join(folder, ".loopdash-now-"));
  try {
    return await changedAt(probe);
  } finally {
    await rmdir(probe);
  }
}

async function readInThread(
  options: { readonly program: string; readonly args: readonly string[]; readonly timeoutMs?: number },
  task: ParseTask,
): Promise<ResultsReading> {
  const bounds = { timeoutMs: options.timeoutMs ?? PARSE_MS, memoryMib: PARSE_MIB };
  const answer = await inThread<ResultsReading>({ ...options, ...bounds }, task);
  return answer.ok ? answer.value : { ok: false, absent: false, problem: `reading it ${answer.problem}` };
}
