import type { VerdictWord } from "../../domain/run/event.ts";
import type { TicketEvidence } from "../../domain/run/oracle-evidence.ts";
import type { OracleComparison } from "../oracle-comparison.ts";
import { type Label, STYLES } from "./tone.ts";

/** The oracle's last verdict on the run. */
export const VERDICT_LABELS: Readonly<Record<VerdictWord, Label>> = {
  done: { ...STYLES.done, word: "done" },
  "not-done": { ...STYLES.open, word: "not done" },
  unjudged: { ...STYLES.unjudged, word: "cannot judge" },
};

/** The oracle's evidence on a ticket. */
export const EVIDENCE_LABELS: Readonly<Record<TicketEvidence["state"] | "unknown", Label>> = {
  done: { ...STYLES.done, word: "done" },
  "human-gated": { ...STYLES.needsYou, word: "gated" },
  open: { ...STYLES.open, word: "open" },
  unknown: { ...STYLES.unknown, word: "unknown" },
};

/** Tickets with the same evidence. */
interface EvidenceGroup extends Label {
  readonly has: (comparison: OracleComparison) => boolean;
}

const agreed =
  (state: TicketEvidence["state"]) =>
  ({ is, said }: OracleComparison): boolean =>
    is !== "differs" && said === state;

/** The oracle's evidence in order of attention. */
export const EVIDENCE_GROUPS: readonly EvidenceGroup[] = [
  { ...STYLES.differs, word: "DIFFERS", has: ({ is }) => is === "differs" },
  { ...EVIDENCE_LABELS.open, has: agreed("open") },
  { ...EVIDENCE_LABELS.unknown, has: ({ is }) => is === "unknown" },
  { ...EVIDENCE_LABELS["human-gated"], has: agreed("human-gated") },
  { ...EVIDENCE_LABELS.done, has: agreed("done") },
];
