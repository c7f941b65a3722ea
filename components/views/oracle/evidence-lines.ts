import type { TicketId } from "../../../src/domain/values/ids.ts";
import { displayText } from "../../../src/store/display-text.ts";
import { EVIDENCE_GROUPS, EVIDENCE_LABELS } from "../../../src/store/labels/oracle-label.ts";
import { STYLES, type Tone } from "../../../src/store/labels/tone.ts";
import type { OracleComparison } from "../../../src/store/oracle-comparison.ts";
import { cut, fitTo, widthOf } from "../../kit/fit.ts";
import { cutSpans, type SpanLine } from "../../kit/spans.tsx";

const WORD_WIDTH = 8;

export interface EvidenceOf {
  readonly all: readonly OracleComparison[];
  readonly selected: TicketId | undefined;
  readonly idWidth: number;
  readonly width: number;
  readonly titleOf: (id: TicketId) => string;
}

/** A line for each ticket, what is looked at first before the others: what the oracle said of it, and beside it what the engine holds. Where the two differ it is loud. */
export function evidenceLines(evidenceOf: EvidenceOf): readonly SpanLine[] {
  return EVIDENCE_GROUPS.flatMap(({ has }) => evidenceOf.all.filter(has)).map((each) =>
    cutSpans(line(each, evidenceOf), evidenceOf.width),
  );
}

function line(each: OracleComparison, { selected, idWidth, width, titleOf }: EvidenceOf): SpanLine {
  const { glyph, tone, word } = EVIDENCE_LABELS[each.said ?? "unknown"];
  const isSelected = each.id === selected;
  const [mark, beside] = engineLabel(each);
  // What differs is told whole.
  const engine = Math.max(width < ROOMY ? NARROW_ENGINE : ENGINE_WIDTH, mark === undefined ? 0 : widthOf(beside));
  const room = width - 4 - idWidth - 2 - WORD_WIDTH - engine - 2;
  const about = each.step === undefined ? titleOf(each.id) : `"${displayText(each.step)}"`;
  return [
    { text: isSelected ? "▌" : " ", tone: "running", bold: true },
    { text: `${each.is === "differs" ? STYLES.differs.glyph : glyph} `, tone: mark ?? tone, bold: each.is === "differs" },
    { text: fitTo(each.id, idWidth), bold: true, inverse: isSelected },
    { text: `  ${fitTo(word, WORD_WIDTH)}`, tone: mark ?? tone, bold: each.said !== undefined },
    { text: fitTo(beside, engine), tone: mark ?? "waiting", bold: mark !== undefined },
    { text: `  ${cut(about, Math.max(0, room))}`, tone: each.step === undefined ? "waiting" : "plain" },
  ];
}

/** Columns of what the engine holds, in lines that are long enough and in others. */
const [ENGINE_WIDTH, NARROW_ENGINE] = [26, 18];
const ROOMY = 80;

/** What the engine holds, and a tone where that is to be seen. */
function engineLabel({ is, phase }: OracleComparison): readonly [tone: Tone | undefined, text: string] {
  const word = phase === "human-gated" ? "gated" : phase;
  if (is === "differs") return ["bad", `DIFFERS: engine ${word}`];
  return [undefined, `engine: ${word}${is === "moved" ? " since" : ""}`];
}
