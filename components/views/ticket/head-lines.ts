import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText } from "../../../src/store/format.ts";
import {
  attemptStage,
  finishLine,
  firstOutage,
  outageUnderWay,
  progressParts,
} from "../../../src/store/labels/progress-label.ts";
import { phaseLabel, type QueueLabel, queueLabel } from "../../../src/store/labels/ticket-label.ts";
import { STYLES, type Style } from "../../../src/store/labels/tone.ts";
import { wrapTo } from "../../kit/fit.ts";
import type { ViewSize } from "../../kit/window.ts";

/** Lines of the head around what it says: the ticket above, and its finish line below. */
const AROUND = 2;
/** Lines that are left for the body, however long the reasons are. */
const LEAST_BODY = 4;

/** A part of the head, in lines that fit: the state of the ticket, or the reason why the whole run waits. Its first line has the glyph. */
export interface HeadPart extends Style {
  readonly lines: readonly string[];
}

/** The parts of the head of the selected ticket. Reasons are whole, unless the terminal has no room for them. */
export function headParts(state: DashboardState, { columns, height }: ViewSize): readonly HeadPart[] {
  const room = Math.max(1, height - AROUND - LEAST_BODY);
  const standing = wrapped(ticketStanding(state), columns, room);
  const outage = outageLabelNow(state);
  if (outage === undefined) return [standing];
  // A ticket's reason leaves a line for what the whole run waits for.
  const left = Math.max(1, room - standing.lines.length);
  return [wrapped(ticketStanding(state), columns, Math.max(1, room - left)), wrapped(outage, columns, left)];
}

/** Lines of the whole head. */
export function headHeight(state: DashboardState, size: ViewSize): number {
  return AROUND + headParts(state, size).reduce((sum, { lines }) => sum + lines.length, 0);
}

function wrapped({ glyph, tone, text }: QueueLabel, columns: number, most: number): HeadPart {
  return { glyph, tone, lines: wrapTo(text, columns - 4, most) };
}

/** The state of the ticket: the current step of its attempt, the reason why it waits, its remaining step, or that it is done. */
function ticketStanding(state: DashboardState): QueueLabel {
  const { selected } = state.ui;
  const ticket = selected === undefined ? undefined : ticketIn(state, selected);
  if (ticket === undefined) return { glyph: " ", tone: "plain", text: "" };
  if (ticket.attempt === undefined) {
    const word = queueLabel(state, ticket.id);
    return { ...word, text: `${phaseLabel(ticket, false).word}: ${word.text}` };
  }
  const { glyph, tone, word } = attemptStage(ticket.attempt, finishLine(state.run, ticket.id));
  const { step, waiting: waits } = ticket.attempt;
  const progress = progressParts(step, state.now).join(" · ");
  return {
    glyph,
    tone,
    text: `attempt ${ticket.attempt.n} is at: ${progress === "" ? word : progress}${waits === undefined ? "" : `: ${displayText(waits)}`}`,
  };
}

function outageLabelNow({ run }: DashboardState): QueueLabel | undefined {
  const outage = run === undefined ? undefined : firstOutage(run);
  if (outage === undefined) return undefined;
  return { ...STYLES.heldUp, tone: "waiting", text: displayText(outageUnderWay(outage, outage.tries)) };
}
