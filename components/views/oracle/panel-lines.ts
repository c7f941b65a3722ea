import type { RunState } from "../../../src/domain/run/state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { EVIDENCE_GROUPS } from "../../../src/store/labels/oracle-label.ts";
import { STYLES } from "../../../src/store/labels/tone.ts";
import type { OracleComparison } from "../../../src/store/oracle-comparison.ts";
import { fitTo, widthOf } from "../../kit/fit.ts";
import type { SpanLine } from "../../kit/spans.tsx";
import { healsCount } from "./people-lines.ts";

const WORD_WIDTH = 8;

/** A line for each thing that the oracle said, with the tickets of which it said it; what does not fit is counted. Heals come last. */
export function panelLines(all: readonly OracleComparison[], run: RunState, width: number): readonly SpanLine[] {
  const groups = EVIDENCE_GROUPS.flatMap(({ glyph, word, tone, has }): SpanLine[] => {
    const ids = all.filter(has).map(({ id }) => id);
    if (ids.length === 0) return [];
    const count = fitTo(String(ids.length), 4, "right");
    const head = ` ${glyph} ${fitTo(word, WORD_WIDTH)}${count}  `;
    return [
      [
        { text: head, tone, bold: tone === "bad" },
        { text: listed(ids, width - widthOf(head)), tone: "waiting" },
      ],
    ];
  });
  const heals: SpanLine = [
    { text: ` ${STYLES.healed.glyph} ${fitTo("heals", WORD_WIDTH)}`, tone: "running" },
    { text: `   ${healsCount(run)}`, tone: "waiting" },
  ];
  return [...groups, heals];
}

/** As many names as fit, and how many there are beside them. */
function listed(ids: readonly TicketId[], width: number): string {
  const more = (shown: number): string => (shown === ids.length ? "" : ` +${ids.length - shown} more`);
  const text = (shown: number): string => `${ids.slice(0, shown).join(" ")}${more(shown)}`;
  let shown = ids.length;
  while (shown > 1 && widthOf(text(shown)) > width) shown -= 1;
  return fitTo(text(shown), Math.max(0, width));
}
