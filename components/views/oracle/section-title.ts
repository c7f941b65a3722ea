import type { Tone } from "../../../src/store/labels/tone.ts";
import type { OracleComparison } from "../../../src/store/oracle-comparison.ts";
import { cut } from "../../kit/fit.ts";
import type { SpanLine } from "../../kit/spans.tsx";

export interface OracleSection {
  readonly title: string;
  readonly count: string;
  readonly tone: Tone;
}

/** `─ HEALS 1 of 2 ──────`, as wide as its column. */
export function sectionTitle({ title, count, tone }: OracleSection, width: number): SpanLine {
  const shown = cut(count, width - title.length - 5);
  const rest = Math.max(0, width - title.length - shown.length - 4);
  return [
    { text: "─ ", tone: "waiting" },
    { text: title, tone, bold: true },
    { text: ` ${shown} `, tone: tone === "bad" ? "bad" : "waiting" },
    { text: "─".repeat(rest), tone: "waiting" },
  ];
}

/** What the evidence comes to: how many tickets the engine sees otherwise, and of how many the oracle's word is not known. */
export function evidenceTitle({
  counts,
  judgedAt,
  total,
}: {
  readonly counts: Readonly<Record<OracleComparison["is"], number>>;
  readonly total: number;
  /** When it was given, by the clock; undefined where no evidence of the last judgement is kept. */
  readonly judgedAt: string | undefined;
}): OracleSection {
  const { differs, unknown, moved } = counts;
  const parts = [
    ...(differs === 0 ? [] : [`${differs} ${differs === 1 ? "DIFFERS" : "DIFFER"} from the engine`]),
    ...(unknown === 0 ? [] : [`${unknown} unknown`]),
    ...(moved === 0 ? [] : [`${moved} moved since`]),
    ...(judgedAt === undefined ? [] : [`of ${judgedAt}`]),
  ];
  const count = [`${total}`, ...parts].join(" · ");
  return { title: "EVIDENCE", tone: differs === 0 ? "oracle" : "bad", count };
}
