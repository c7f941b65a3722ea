import { memo, type ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import type { OracleState } from "../../src/domain/run/verdict-state.ts";
import { plural } from "../../src/domain/values/text.ts";
import { displayText } from "../../src/store/format.ts";
import { type BrokenBaseLabel, brokenBaseLabel } from "../../src/store/labels/base-label.ts";
import { VERDICT_LABELS } from "../../src/store/labels/oracle-label.ts";
import { BAR_CELLS, STYLES } from "../../src/store/labels/tone.ts";
import { useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { firstParts, fitParts, fitTo, textWidth } from "../kit/fit.ts";
import { type Span, type TimedSpan, TimedSpans, timeSpan } from "../kit/spans.tsx";
import { LABEL_WIDTH } from "./header.tsx";

/** Columns of the longest verdict, and a gap. */
const VERDICT_WIDTH = 13;
const AGE_WIDTH = 8;
const LONGEST_BAR = 60;
const NARROW_WORD = 8;

/** The only voice that counts, apart from all workers' claims: the oracle's verdict, its age, and its own counts. */
export const OracleLine = memo(function OracleLine({ width }: { readonly width: number }): ReactNode {
  useDrawn("oracle");
  const oracle = useDashboard((s) => s.run?.oracle);
  // Without the engine nobody knows if the oracle is being asked.
  const asking = useDashboard((s) => s.ui.connection.state === "live" && s.run?.oracle.asking === true);
  const claims = useDashboard((s) => s.run?.claims);
  const judged = oracle?.judged ?? 0;
  const right =
    claims === undefined
      ? ""
      : `${claims.upheld} of ${plural(claims.made, "claim")} of done upheld · judged ${plural(judged, "time")} `;
  const word = width < 72 ? NARROW_WORD : LABEL_WIDTH;
  const room = width - 2 - word - VERDICT_WIDTH - AGE_WIDTH - 2;
  const broken = useDashboard(useShallow((s) => brokenBaseLabel(s.run)));
  const beside = broken === undefined && room - textWidth(right) - 2 >= 60 ? right : "";
  return (
    <TimedSpans
      line={[
        { text: ` ${fitTo(`${STYLES.oracle.glyph} ORACLE`, word)} `, tone: "oracle", bold: true },
        ...verdictSpans(oracle, { asking, broken, room: beside === "" ? room : room - textWidth(beside) - 2 }),
        { text: beside === "" ? "" : `  ${beside}`, tone: "waiting" },
      ]}
    />
  );
});

/** The broken base takes the place of the bar, so that nothing moves for it. */
function verdictSpans(
  oracle: OracleState | undefined,
  { asking, broken, room }: { readonly asking: boolean; readonly broken: BrokenBaseLabel | undefined; readonly room: number },
): readonly (Span | TimedSpan)[] {
  const last = oracle?.last;
  if (last === undefined) {
    const word = asking ? "judging…" : "never judged";
    if (broken !== undefined && room >= LEAST_TROUBLE)
      return [{ text: fitTo(word, VERDICT_WIDTH + AGE_WIDTH + 2), tone: "waiting" }, ...troubleSpans(broken, room)];
    const bar = "┄".repeat(Math.max(0, Math.min(LONGEST_BAR, room - 12)));
    const text = `${fitTo(word, VERDICT_WIDTH + AGE_WIDTH)}  ${bar}  unknown`;
    return [{ text: fitTo(text, room + VERDICT_WIDTH + AGE_WIDTH + 2), tone: "waiting" }];
  }
  const { word, tone } = VERDICT_LABELS[last.verdict];
  return [
    { text: fitTo(word, VERDICT_WIDTH), tone, bold: true },
    asking
      ? { text: fitTo("judging…", AGE_WIDTH), tone: "oracle" }
      : timeSpan({ since: last.at, format: "age", suffix: " ago", width: AGE_WIDTH, align: "left", tone: "waiting" }),
    ...(last.verdict === "unjudged"
      ? [{ text: `  ${fitTo(displayText(last.problem ?? "no reason given"), room)}`, tone: "bad" } as const]
      : countSpans(last.counts, room, broken)),
  ];
}

function countSpans(
  counts: { readonly done: number; readonly gated: number; readonly open: number },
  room: number,
  broken: BrokenBaseLabel | undefined,
): readonly (Span | TimedSpan)[] {
  const { done, gated, open } = counts;
  const { words } = fitParts(
    {
      words: [
        `${done} done · ${gated} gated · ${open} open`,
        `${done} done ${gated} gated ${open} open`,
        `${done} done ${open} open`,
      ],
    },
    ["words", "words"],
    broken === undefined ? room : room - 2 - LONGEST_TROUBLE,
  );
  const left = room - textWidth(words) - 2;
  if (broken !== undefined && left >= LEAST_TROUBLE)
    return [{ text: "  " }, ...troubleSpans(broken, left), { text: `  ${words}`, bold: true }];
  const width = Math.min(LONGEST_BAR, room - textWidth(words) - 2);
  const bar = oracleShares(counts, width >= 6 ? width : 0);
  const used = textWidth(words) + (width >= 6 ? width + 2 : 0);
  return [
    { text: "  " },
    { text: BAR_CELLS.done.repeat(bar.done), tone: "good" },
    { text: BAR_CELLS.gated.repeat(bar.gated), tone: "person" },
    { text: BAR_CELLS.open.repeat(bar.open), tone: "waiting" },
    { text: `${width >= 6 ? "  " : ""}${words}`, bold: true },
    { text: " ".repeat(Math.max(0, room - used)) },
  ];
}

/** Cells of the oracle's bar: shares of the whole, at least one cell for each part that is not empty. */
interface OracleShares {
  readonly done: number;
  readonly gated: number;
  readonly open: number;
}

/** Divides `width` cells by the oracle's own counts. */
export function oracleShares(counts: OracleShares, width: number): OracleShares {
  const total = counts.done + counts.gated + counts.open;
  if (total === 0 || width <= 0) return { done: 0, gated: 0, open: 0 };
  const some = (n: number): number => (n === 0 ? 0 : 1);
  const part = (n: number, most: number): number => Math.min(most, Math.max(some(n), Math.round((n / total) * width)));
  const open = part(counts.open, width - some(counts.done) - some(counts.gated));
  const gated = counts.done === 0 ? Math.min(width - open, counts.gated * width) : part(counts.gated, width - open - 1);
  return { done: width - open - gated, gated, open };
}

const SINCE_WIDTH = 7;
/** With less room, a broken base is left to the lists. */
const LEAST_TROUBLE = 20;
/** With more room, the counts are in full words. */
const LONGEST_TROUBLE = 40;

/** A broken base in `room` columns: repository, suspected commit, what is done, what fails, and since when. */
function troubleSpans(label: BrokenBaseLabel, room: number): readonly (Span | TimedSpan)[] {
  const { repo, suspect, response, since, failure, more } = label;
  const text = firstParts([`${repo}${more === 0 ? "" : ` +${more} more`}`, suspect, response, failure], room - SINCE_WIDTH - 10);
  const clock = timeSpan({ since, format: "age", width: SINCE_WIDTH, align: "left", tone: "bad" });
  return [
    { text: `${STYLES.failed.glyph} BROKEN ${text} `, tone: "bad", bold: true },
    clock,
    { text: " ".repeat(Math.max(0, room - textWidth(text) - SINCE_WIDTH - 10)) },
  ];
}
