import { mkdtemp, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { ReportReading, TestReports } from "../../ports/test-report.ts";
import { inThread } from "../in-thread.ts";
import { PARSE_MIB, PARSE_MS } from "./bounds.ts";
import type { ParseTask } from "./parse-report.ts";
import { changedAt, linkOnTheWay, readReportFile, removeOld } from "./report-file.ts";

/**
 * Reports, each read in a thread of its own with a bound on memory and time: a hostile one costs the engine nothing but that.
 * `program` with `args` is what the thread runs (see serve-report.ts); `timeoutMs` is for tests.
 */
export function createTestReports(options: {
  readonly program: string;
  readonly args: readonly string[];
  readonly timeoutMs?: number;
}): TestReports {
  const parse = (task: ParseTask) => readInThread(options, task);
  return {
    async await({ format, folder, path, written = folder }) {
      const notBefore = Date.now();
      if ((await linkOnTheWay(folder, path)) !== undefined) {
        const problem = "the way to it leads through something that is no folder";
        return { read: () => Promise.resolve({ ok: false, absent: false, problem }) };
      }
      await removeOld(folder, path);
      const since = await now(written);
      return {
        async read(roots) {
          const file = await readReportFile({ folder: written, path, since });
          return file.ok ? parse({ format, bytes: file.bytes, roots, notBefore }) : file;
        },
      };
    },
    parse: ({ format, text, roots }) => parse({ format, bytes: new TextEncoder().encode(text), roots, notBefore: 0 }),
  };
}

/** The present by the clock of the folder's disk, which may be coarser than the system's. Leaves nothing behind. */
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
): Promise<ReportReading> {
  const bounds = { timeoutMs: options.timeoutMs ?? PARSE_MS, memoryMib: PARSE_MIB };
  const answer = await inThread<ReportReading>({ ...options, ...bounds }, task);
  return answer.ok ? answer.value : { ok: false, absent: false, problem: `reading it ${answer.problem}` };
}
