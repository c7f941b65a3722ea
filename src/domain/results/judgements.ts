import type { RunEvent } from "../run/event.ts";
import type { EvidenceChange } from "../run/oracle-evidence.ts";
import type { PastJudgement } from "../run/verdict-state.ts";

type Judged = Extract<RunEvent, { type: "oracle-judged" }>;

/** A judgement as the journal keeps it, with its evidence. */
export interface JudgementRecord extends PastJudgement {
  readonly open: readonly string[];
  readonly evidence?: EvidenceChange;
}

/** Judgements that the state keeps. */
const KEPT = 50;

/** `oracleSha`: the oracle of the run, which judges unless the event names another. */
export function pastJudgement({ at, final, judgement, evidence, ...event }: Judged, oracleSha: string): PastJudgement {
  const { open: _, ...rest } = judgement;
  const changed = evidence === undefined ? {} : { changed: evidence.tickets.length + evidence.more };
  return { ...rest, at, final, oracleSha: event.oracleSha ?? oracleSha, ...changed };
}

/** Appends a judgement, keeping the newest. */
export function withJudgement(recent: readonly PastJudgement[], next: PastJudgement): readonly PastJudgement[] {
  return [...recent.slice(1 - KEPT), next];
}

/** Every judgement of a run's events, in order. `oracleSha`: see `pastJudgement`. */
export function judgementRecords(events: Iterable<RunEvent>, oracleSha: string): readonly JudgementRecord[] {
  const all: JudgementRecord[] = [];
  for (const event of events) {
    if (event.type !== "oracle-judged") continue;
    const { evidence, judgement } = event;
    const told = evidence === undefined ? {} : { evidence };
    all.push({ ...pastJudgement(event, oracleSha), open: judgement.open, ...told });
  }
  return all;
}
