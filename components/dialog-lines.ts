import type { TicketId } from "../src/domain/ids.ts";
import type { Attempt, TicketState } from "../src/domain/state.ts";
import { type DashboardState, ticketIn } from "../src/store/dashboard-store.ts";
import { displayText } from "../src/store/display-text.ts";
import { formatElapsed, formatUsd, plural } from "../src/store/format.ts";
import { KEYMAP } from "../src/store/keymap.ts";
import { busyAgents } from "../src/store/lists.ts";
import { reviewerWord } from "../src/store/second-model-word.ts";
import { finishOf, stageOf } from "../src/store/stage-look.ts";
import { specWord } from "../src/store/step-word.ts";
import type { Modal } from "../src/store/ui.ts";
import { fieldCount, fieldLines } from "./field-lines.ts";
import { fitTo, wrapWords } from "./fit.ts";
import { queueWord, titleOf } from "./queue-word.ts";
import type { SpanLine } from "./spans.tsx";
import { lastFailure, MARKS, sayingOf, trackOf } from "./worker-look.ts";

/** The part of the dashboard that dialogs tell about. */
export type Mirror = Pick<DashboardState, "run" | "lists">;

const EMPTY: SpanLine = [{ text: "" }];

/** `y kill   n keep`, from the keymap. */
function keysLine(mode: Modal["kind"]): SpanLine {
  return KEYMAP[mode].flatMap((b) => [
    { text: b.show, tone: "running" as const, bold: true },
    { text: ` ${b.help}   `, tone: "waiting" as const },
  ]);
}

function wrapped(text: string, width: number, look: Omit<SpanLine[number], "text"> = {}): readonly SpanLine[] {
  return wrapWords(text, width).map((line) => [{ ...look, text: line }]);
}

/** What ends with a try: its agent, or the finish line where the agent has ended already. */
function whatEnds(attempt: Attempt | undefined): string {
  return attempt?.slotLeftAt === undefined ? "Its agent is ended" : "Its finish line is cut off";
}

/** Asks before a worker's try is ended. */
export function killLines(state: Mirror, id: TicketId, width: number): readonly SpanLine[] {
  const attempt = ticketIn(state, id)?.attempt;
  const at = attempt === undefined ? "" : stageOf(attempt, finishOf(state.run, id)).word;
  const now = attempt === undefined ? "nobody works on it any more" : `try ${attempt.n} is at: ${at}`;
  return [
    ...wrapped(titleOf(state, id), width, { bold: true }),
    ...wrapped(`${now}. ${whatEnds(attempt)}, and the try counts against the ticket's attempts.`, width, { tone: "waiting" }),
    EMPTY,
    keysLine("kill").slice(0, 4),
  ];
}

/** Asks for the exact step that is left to a person. */
export function gateLines(
  state: Mirror,
  modal: Extract<Modal, { kind: "gate" }>,
  width: number,
  most: number,
): readonly SpanLine[] {
  const attempt = ticketIn(state, modal.ticket)?.attempt;
  const work = attempt === undefined ? "" : ` ${whatEnds(attempt)}.`;
  return [
    ...wrapped(titleOf(state, modal.ticket), width, { bold: true }),
    ...wrapped(`Which exact step is left to a person?${work}`, width, { tone: "waiting" }),
    EMPTY,
    ...fieldLines(modal.input, width, Math.max(1, most - 7)),
    [{ text: modal.problem ?? fieldCount(modal.input), tone: modal.problem === undefined ? "waiting" : "bad" }],
    EMPTY,
    keysLine("gate").slice(0, 4),
  ];
}

/** The ways out. */
export function leaveLines(state: Mirror, width: number): readonly SpanLine[] {
  const agents = busyAgents(state.run);
  const finishing = state.run?.finishing.length ?? 0;
  const row = (key: string, bold: string, rest: string): SpanLine => [
    { text: fitTo(key, 8), tone: "running", bold: true },
    { text: bold, bold: true },
    { text: rest, tone: "waiting" },
  ];
  return [
    ...wrapped(
      (agents === 0 ? "No agent is at work." : `${plural(agents, "agent")} at work.`) +
        (finishing === 0 ? "" : ` ${plural(finishing, "ticket")} on the finish line.`),
      width,
    ),
    EMPTY,
    row("d", "detach", `: the run goes on; loopdash attach brings it back`),
    row("s", "stop the run", ": agents are ended, the run can be resumed"),
    row("esc", "back", ""),
    EMPTY,
    [{ text: "Ctrl-C again detaches.", tone: "waiting" }],
  ];
}

/** All keys, from the keymap, and what the signs mean. */
export function helpLines(): readonly SpanLine[] {
  const keys = KEYMAP.list.map((b): SpanLine => [{ text: fitTo(b.show, 9), tone: "running", bold: true }, { text: b.help }]);
  return [
    ...keys,
    EMPTY,
    [{ text: "◆ ", tone: "oracle" }, { text: "the oracle: the only voice that says done" }],
    [{ text: '"…" ', tone: "claim" }, { text: "what an agent says: a claim, never evidence" }],
    [{ text: "✔▸· ", tone: "good" }, { text: "the finish line: passed, at it now, ahead" }],
  ];
}

/** All about one ticket that fits a dialog: where it stands, its tries, the exact step that is left. */
export function detailLines(state: Mirror, id: TicketId, width: number): readonly SpanLine[] {
  const run = state.run;
  const ticket = ticketIn(state, id);
  if (run === undefined || ticket === undefined) return [];
  const spec = run.plan.tickets[run.plan.index[id] ?? -1];
  const meta = [
    spec?.repo ?? "",
    ...(spec?.dependsOn.length ? [`after ${spec.dependsOn.join(", ")}`] : []),
    ...(ticket.foundBy === undefined ? [] : [`found by ${ticket.foundBy}`]),
    formatUsd(ticket.costUsd),
  ].join(" · ");
  return [
    ...wrapped(titleOf(state, id), width, { bold: true }),
    [{ text: displayText(meta), tone: "waiting" }],
    EMPTY,
    ...standing(state, ticket, width),
    ...ticket.history.map((past): SpanLine => {
      const summary = displayText(past.summary);
      const text = `try ${past.n}  ${formatElapsed(past.endedAt - past.startedAt)}  ${past.outcome}${summary === "" ? "" : `: ${summary}`}`;
      return [{ text, tone: past.outcome === "done" ? "good" : "waiting" }];
    }),
    EMPTY,
    keysLine("details").slice(0, 2),
  ];
}

function standing(state: Mirror, ticket: TicketState, width: number): readonly SpanLine[] {
  const { attempt } = ticket;
  if (attempt === undefined) {
    const word = queueWord(state, ticket.id);
    return wrapped(`${word.glyph} ${ticket.phase}: ${word.text}`, width, { tone: word.tone });
  }
  const finish = finishOf(state.run, ticket.id);
  const marks = trackOf(attempt, finish);
  const stage = stageOf(attempt, finish);
  const saying = sayingOf(attempt, { finish, reviewer: reviewerWord(state.run) });
  const before = lastFailure(ticket);
  return [
    [{ text: `try ${attempt.n}: ${stage.word}`, tone: stage.tone }],
    ...finish.map((step, i): SpanLine => {
      const mark = MARKS[marks[i] ?? "ahead"];
      return [{ text: `  ${mark.glyph} ${specWord(step)}`, tone: mark.tone }];
    }),
    ...wrapped(saying.tone === "claim" ? `"${saying.text}"` : saying.text, width, { tone: saying.tone }),
    ...(before === undefined ? [] : [EMPTY]),
  ];
}
