import {
  type ChangeToClassify,
  classifyChange,
  compareRuns,
  failingUnnamed,
  type Remark,
  suppressionsIn,
  tallies,
} from "@loopdash/test-evidence";
import type { ComparedRuns, RunsToCompare, TextScans } from "../../ports/text-scans.ts";
import { readHunks } from "./read-hunks.ts";

/** One scan, as it is sent to the thread. */
export type ScanTask =
  | { readonly kind: "suppressions"; readonly diff: Uint8Array }
  | ({ readonly kind: "compare" } & RunsToCompare)
  | ({ readonly kind: "classify" } & ChangeToClassify);

/** The result of a scan, by its kind. */
export type ScanValue<K extends ScanTask["kind"]> =
  Awaited<ReturnType<TextScans[K]>> extends infer R ? (Extract<R, { ok: true }> extends { value: infer V } ? V : never) : never;

/** Suppressions that are reported, and characters of their text and of their path. */
const MOST_TOLD = 100;
const TEXT_CHARS = 300;
/** Ids of a list. */
const MOST_IDS = 10_000;

/** Does a scan. */
export function scan(task: ScanTask): ScanValue<ScanTask["kind"]> {
  switch (task.kind) {
    case "suppressions":
      return suppressions(task.diff);
    case "compare":
      return compare(task);
    case "classify":
      return classifyChange(task);
  }
}

function suppressions(diff: Uint8Array): ScanValue<"suppressions"> {
  const found = suppressionsIn(readHunks(new TextDecoder().decode(diff)));
  const first = found.slice(0, MOST_TOLD).map((each) => ({
    ...each,
    path: each.path.slice(0, TEXT_CHARS),
    text: each.text.slice(0, TEXT_CHARS),
  }));
  return { count: found.length, first };
}

function compare({ base, candidate, allow, fixes, files }: RunsToCompare): ComparedRuns {
  const comparison = compareRuns(base, candidate, allow, { fixes, files });
  const failing = failingUnnamed(tallies(base?.tests ?? []), fixes.patterns);
  return {
    comparison: { ...comparison, findings: comparison.findings.map(bounded) },
    failingOnBase: { count: failing.length, first: firstIds(failing) },
  };
}

function bounded<T extends Remark>(remark: T): T {
  return remark.ids.length <= MOST_IDS ? remark : { ...remark, ids: firstIds(remark.ids) };
}

function firstIds(ids: readonly string[]): readonly string[] {
  return ids.toSorted().slice(0, MOST_IDS);
}
