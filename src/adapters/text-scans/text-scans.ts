import type { ChangeToClassify } from "@loopdash/test-evidence";
import type { RunsToCompare, TextScans } from "../../ports/text-scans.ts";
import { inThread, type ThreadAnswer } from "../in-thread.ts";
import { type ScanTask, type ScanValue, scan } from "./scan.ts";

/** Time limit of a scan, in milliseconds, and its memory limit, in MiB. */
const SCAN_MS = 60_000;
const SCAN_MIB = 2_048;

/**
 * The most that is scanned on the event loop: starting a thread takes some 60 ms, and the slowest line known takes 0.3 ms a
 * kilobyte. Bytes of text; for a comparison, characters of ids times patterns.
 */
const AT_ONCE = 64 * 1024;

/**
 * Scans of text that a worker wrote. `program` with `args` is the thread's program (see serve-scan.ts); `timeoutMs` is for tests.
 */
export function createTextScans({
  program,
  args,
  timeoutMs,
}: {
  readonly program: string;
  readonly args: readonly string[];
  readonly timeoutMs?: number;
}): TextScans {
  const options = { program, args, timeoutMs: timeoutMs ?? SCAN_MS, memoryMib: SCAN_MIB };
  async function run<K extends ScanTask["kind"]>(
    task: Extract<ScanTask, { kind: K }>,
    size: number,
  ): Promise<ThreadAnswer<ScanValue<K>>> {
    if (size > AT_ONCE) return inThread<ScanValue<K>>(options, task);
    return { ok: true, value: scan(task) as ScanValue<K> };
  }
  return {
    suppressions: (diff) => run<"suppressions">({ kind: "suppressions", diff }, diff.length),
    compare: (runs) => run<"compare">({ kind: "compare", ...runs }, comparisonSize(runs)),
    classify: (change) => run<"classify">({ kind: "classify", ...change }, classifiedLength(change)),
  };
}

function comparisonSize({ base, candidate, allow, fixes }: RunsToCompare): number {
  const patterns = 1 + fixes.patterns.length + allow.testsRemoved.length + allow.testsSkipped.length;
  let chars = 0;
  for (const { id } of [...(base?.tests ?? []), ...candidate.tests]) chars += id.length;
  return chars * patterns;
}

function classifiedLength({ base, changed }: ChangeToClassify): number {
  const texts = [...base.texts.values(), ...changed.map(({ text }) => text ?? "")];
  return texts.reduce((sum, text) => sum + text.length, base.files.length);
}
