import type { RunEvent } from "../run/event.ts";
import type { RunState } from "../run/state.ts";
import type { PastAttempt } from "../run/ticket-state.ts";
import { vecItems } from "../values/vec.ts";
import { attemptFolder, BUNDLE_FORMAT, BUNDLE_JSON, type BundledRun, type BundleFile } from "./bundle.ts";

/** The files of a run's bundle that are made from its journal. */
export const RUN_FILES = {
  batch: "bundle/batch.json",
  oracle: "bundle/oracle.json",
  report: "bundle/report.json",
  summary: "bundle/summary.md",
  journal: "bundle/journal.jsonl",
} as const;

/** Describes each of them in words. */
export const RUN_FILE_WORDS: Readonly<Record<string, string>> = {
  [RUN_FILES.batch]: "frozen batch",
  [RUN_FILES.oracle]: "every judgement of the oracle, with its evidence",
  [RUN_FILES.report]: "verdict, tickets and numbers of the ledger",
  [RUN_FILES.summary]: "summary for people",
  [RUN_FILES.journal]: "journal, one row a line",
};

/** An attempt in a run's bundle. Without a `bundle`, `why` says why its files are not listed. */
interface AttemptEntry {
  readonly ticket: string;
  readonly attempt: number;
  readonly outcome: PastAttempt["outcome"] | "under way";
  /** The path of its `bundle.json`, and the sha256 of that in the journal. */
  readonly bundle: { readonly path: string; readonly sha256: string } | null;
  readonly why?: string;
}

/** The `bundle.json` of a run. Times in ISO 8601, UTC. */
export interface RunBundle extends BundledRun {
  readonly batch: string;
  /** The loopdash that began the run. */
  readonly version: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly verdict: string | null;
  readonly why: string | null;
  readonly exitCode: number | null;
  readonly attempts: readonly AttemptEntry[];
}

/** The bundle of a run as its journal has it up to the `head`. */
export function runBundle(state: RunState, head: string, files: readonly BundleFile[]): RunBundle {
  const { run, batch, version, startedAt, end } = state;
  return {
    format: BUNDLE_FORMAT,
    kind: "run",
    run,
    batch: batch.name,
    version,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: end === undefined ? null : new Date(end.at).toISOString(),
    ended: end !== undefined,
    verdict: end?.verdict ?? null,
    why: end?.reason ?? null,
    exitCode: end?.exitCode ?? null,
    journal: { rows: state.seq, head },
    attempts: attemptEntries(state),
    files: [...files],
  };
}

/** Every attempt of a run, by ticket and number. */
function attemptEntries(state: RunState): readonly AttemptEntry[] {
  return [...vecItems(state.tickets)].flatMap(({ id: ticket, history, attempt }): AttemptEntry[] => {
    const past = history.map(({ n, outcome, bundleSha, notBundled }): AttemptEntry => {
      const of = { ticket, attempt: n, outcome };
      if (bundleSha !== undefined)
        return { ...of, bundle: { path: `${attemptFolder(ticket, n)}/${BUNDLE_JSON}`, sha256: bundleSha } };
      return { ...of, bundle: null, why: notBundled ?? "no bundle of it is on record" };
    });
    const present: AttemptEntry[] =
      attempt === undefined ? [] : [{ ticket, attempt: attempt.n, outcome: "under way", bundle: null, why: "it goes on" }];
    return [...past, ...present];
  });
}

/** The frozen batch of a run, as text: the same for every reader of its journal. */
export function batchText(events: readonly RunEvent[]): string | undefined {
  const [first] = events;
  return first?.type === "run-started" ? asText(first.batch) : undefined;
}

/** Every judgement of a run, as text: the same for every reader of its journal. */
export function judgementsText(events: readonly RunEvent[]): string {
  return asText(events.filter(({ type }) => type === "oracle-judged"));
}

function asText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
