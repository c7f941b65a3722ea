import { landedChange } from "../../src/domain/run/admit-revert.ts";
import { describeAwaited } from "../../src/domain/run/approval.ts";
import { isLandedNotLive } from "../../src/domain/run/live-check.ts";
import type { Attempt } from "../../src/domain/run/ticket-state.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import { firstFewLine, plural } from "../../src/domain/values/text.ts";
import type { Keymap } from "../../src/store/dashboard-state.ts";
import { type DashboardState, ticketIn } from "../../src/store/dashboard-state.ts";
import { displayText } from "../../src/store/format.ts";
import { keyLabel } from "../../src/store/keymap/key-labels.ts";
import { revertsByNewRun } from "../../src/store/keymap/revert-keys.ts";
import { attemptStage, finishLine } from "../../src/store/labels/progress-label.ts";
import { displayTitle } from "../../src/store/labels/ticket-label.ts";
import { busyAgents } from "../../src/store/lists.ts";
import { shownForApproval } from "../../src/store/ticket-log/target.ts";
import { askedTickets, type Modal } from "../../src/store/ui.ts";
import { fieldCount, fieldLines } from "../kit/field-lines.ts";
import { fitTo, wrapWords } from "../kit/fit.ts";
import type { SpanLine } from "../kit/spans.tsx";

/** The part of the dashboard's state that dialogs show. */
export type Mirror = Pick<DashboardState, "run" | "lists" | "keymap" | "viewed">;

const EMPTY: SpanLine = [{ text: "" }];

/** `y kill   n keep`, from the keymap: the first keys of the modal in front. */
function keysLine(keymap: Keymap, mode: Modal["kind"], most = 2): SpanLine {
  return keymap[mode].slice(0, most).flatMap((b) => [
    { text: keyLabel(b.keys[0] ?? ""), tone: "running" as const, bold: true },
    { text: ` ${b.help}   `, tone: "waiting" as const },
  ]);
}

function wrapped(text: string, width: number, look: Omit<SpanLine[number], "text"> = {}): readonly SpanLine[] {
  return wrapWords(text, width).map((line) => [{ ...look, text: line }]);
}

/** The first key of a binding, in words. */
function keyIn(keymap: Keymap, mode: Modal["kind"], name: string): string {
  return keyLabel(keymap[mode].find((b) => b.name === name)?.keys[0] ?? "");
}

/** The part that ends with an attempt: its agent, or the finish line if the agent has ended already. */
function whatEnds(attempt: Attempt): string {
  return attempt.slotLeftAt === undefined ? "Its agent is ended" : "Its finish line is cut off";
}

function whatAKillDoes(state: Mirror, id: TicketId): string {
  const ticket = ticketIn(state, id);
  const attempt = ticket?.attempt;
  if (ticket === undefined || attempt === undefined) return "Nobody works on it any more: there is nothing to end.";
  const at = attemptStage(attempt, finishLine(state.run, id)).word;
  const landed = attempt.merge?.landed === true || isLandedNotLive(ticket) ? " Its change has landed and stays in the base." : "";
  return `attempt ${attempt.n} is at: ${at}. ${whatEnds(attempt)}, and the attempt counts against the ticket's attempts.${landed}`;
}

/** Asks before ending a worker's attempt. */
export function killLines(state: Mirror, id: TicketId, width: number): readonly SpanLine[] {
  return [
    ...wrapped(displayTitle(state, id), width, { bold: true }),
    ...wrapped(whatAKillDoes(state, id), width, { tone: "waiting" }),
    EMPTY,
    keysLine(state.keymap, "kill"),
  ];
}

/** Tickets that one question names. */
const NAMED = 12;

const SEVERAL = {
  kill: "Their agents or finish lines are ended, and each attempt counts against its ticket's attempts. What has landed stays.",
  retry: "Their attempts are counted again from zero. This counts as one intervention.",
} as const;

/** Asks once for several tickets. */
export function severalLines(
  { keymap }: Mirror,
  modal: Extract<Modal, { kind: "kill" | "retry" }>,
  width: number,
): readonly SpanLine[] {
  return [
    ...wrapped(firstFewLine(askedTickets(modal), NAMED), width, { bold: true }),
    ...wrapped(SEVERAL[modal.kind], width, { tone: "waiting" }),
    EMPTY,
    keysLine(keymap, modal.kind),
  ];
}

/** Asks for the exact step that is left to a person. */
export function gateLines(
  state: Mirror,
  modal: Extract<Modal, { kind: "gate" }>,
  width: number,
  most: number,
): readonly SpanLine[] {
  const isOne = !modal.also?.length;
  const { attempt, phase } = (isOne ? ticketIn(state, modal.ticket) : undefined) ?? {};
  const work = attempt === undefined ? "" : ` ${whatEnds(attempt)}.`;
  const each = isOne ? "" : " It is the same for each of them, and what works on them is ended.";
  const over = phase === "done" || phase === "human-gated" ? ` By now it is ${phase}: this will be refused.` : "";
  return [
    ...wrapped(isOne ? displayTitle(state, modal.ticket) : firstFewLine(askedTickets(modal), NAMED), width, { bold: true }),
    ...wrapped(`Which exact step is left to a person?${work}${over}${each}`, width, { tone: "waiting" }),
    EMPTY,
    ...fieldLines(modal.input, width, Math.max(1, most - 7)),
    [{ text: modal.problem ?? fieldCount(modal.input), tone: modal.problem === undefined ? "waiting" : "bad" }],
    EMPTY,
    keysLine(state.keymap, "gate"),
  ];
}

/** The ways to leave. */
export function leaveLines(state: Mirror, width: number): readonly SpanLine[] {
  const agents = busyAgents(state.run);
  const finishing = state.run?.finishing.length ?? 0;
  const row = (name: string, bold: string, rest: string): SpanLine => [
    { text: fitTo(keyIn(state.keymap, "leave", name), 8), tone: "running", bold: true },
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
    row("detach", "detach", `: the run continues; loopdash attach brings it back`),
    row("stop", "stop the run", ": agents are ended, the run can be resumed"),
    row("give-up", "back", ""),
    EMPTY,
    [{ text: `${keyIn(state.keymap, "leave", "quit")} again detaches.`, tone: "waiting" }],
  ];
}

/** Asks before retrying a stalled ticket. */
export function retryLines(state: Mirror, id: TicketId, width: number): readonly SpanLine[] {
  const ticket = ticketIn(state, id);
  return [
    ...wrapped(displayTitle(state, id), width, { bold: true }),
    ...wrapped(`Stalled: ${displayText(ticket?.stalledReason ?? "it is stalled no more")}`, width, { tone: "waiting" }),
    ...wrapped("Its attempts are counted again from zero.", width, { tone: "waiting" }),
    EMPTY,
    keysLine(state.keymap, "retry"),
  ];
}

/** Asks before a landed change is taken back. */
export function revertLines(state: Mirror, id: TicketId, width: number): readonly SpanLine[] {
  const ticket = ticketIn(state, id);
  const sha = ticket && landedChange(ticket)?.sha.slice(0, 7);
  const how = revertsByNewRun(state)
    ? "The dashboard closes, and a new run does it, which starts no agent."
    : "An agent starts on it again, and is told why.";
  return [
    ...wrapped(displayTitle(state, id), width, { bold: true }),
    ...wrapped(`A new commit takes ${sha ?? "it"} back, once its checks pass on that. The ticket is open then. ${how}`, width, {
      tone: "waiting",
    }),
    ...wrapped("This counts as an intervention.", width, { tone: "waiting" }),
    EMPTY,
    keysLine(state.keymap, "revert"),
  ];
}

/** Asks before a change that needs a person may land: why it does, and if all of it is shown. */
export function approveLines(
  state: Mirror,
  modal: Extract<Modal, { kind: "approve" }>,
  width: number,
  most: number,
): readonly SpanLine[] {
  const { ticket: id, commit } = modal;
  const approval = ticketIn(state, id)?.approval;
  const isThis = approval?.commit === commit;
  const what = isThis ? displayText(describeAwaited(approval)) : "another commit by now";
  const reasons = (isThis && approval.why) || [];
  const why = reasons.flatMap((each) => wrapped(`It needs a person because ${displayText(each)}`, width));
  const room = Math.max(1, most - 8);
  const more = `${plural(why.length - room + 1, "more line")}: loopdash bound approve ${state.run?.run ?? ""} ${id}`;
  const shown = shownForApproval(state, modal);
  return [
    ...wrapped(displayTitle(state, id), width, { bold: true }),
    ...wrapped(typeof shown === "string" ? `Not yet: ${shown}.` : `It is ${what}, as commit ${commit.slice(0, 12)}.`, width),
    ...(why.length <= room ? why : [...why.slice(0, room - 1), ...wrapped(more, width, { tone: "waiting" })]),
    ...wrapped("The whole diff is behind this question. It lands without another look if its checks pass again.", width, {
      tone: "waiting",
    }),
    EMPTY,
    keysLine(state.keymap, "approve"),
  ];
}

/** Asks before a person's request to heal the harness. */
export function healLines(state: Mirror, width: number): readonly SpanLine[] {
  const { heals, batch } = state.run ?? {};
  const left = (batch?.limits.heals ?? 0) - (heals?.started ?? 0);
  return [
    ...wrapped("An agent fixes what the workers are told: hints, prompt, transients. Never what judges them.", width),
    ...wrapped(
      `Nothing new starts before it; it begins once the attempts under way are over. ${plural(left, "heal")} left.`,
      width,
      {
        tone: "waiting",
      },
    ),
    EMPTY,
    keysLine(state.keymap, "heal"),
  ];
}

/** Asks for a note of a person's work outside the dashboard. */
export function noteLines(
  state: Mirror,
  modal: Extract<Modal, { kind: "note" }>,
  width: number,
  most: number,
): readonly SpanLine[] {
  const kind = modal.work ? "the tickets' work" : "tending the machinery";
  return [
    ...wrapped("What did you do to this run outside the dashboard? It is counted.", width, { tone: "waiting" }),
    [
      { text: "It was " },
      { text: kind, bold: true },
      { text: `  ${keyIn(state.keymap, "note", "note-kind")} changes it`, tone: "waiting" },
    ],
    EMPTY,
    ...fieldLines(modal.input, width, Math.max(1, most - 8)),
    [{ text: modal.problem ?? fieldCount(modal.input), tone: modal.problem === undefined ? "waiting" : "bad" }],
    EMPTY,
    keysLine(state.keymap, "note"),
  ];
}

/** Asks for a new ticket: its title, then its text. */
export function addLines(
  state: Mirror,
  modal: Extract<Modal, { kind: "add" }>,
  width: number,
  most: number,
): readonly SpanLine[] {
  const { title, repo, input, problem } = modal;
  const asked =
    title === undefined ? "What is to be done? This is the ticket's title." : "What else must its agent know? It may be empty.";
  return [
    ...(title === undefined ? [] : wrapped(displayText(title), width, { bold: true })),
    ...wrapped(`${asked} The ticket is filed in the tracker, and counted as an intervention.`, width, { tone: "waiting" }),
    [
      { text: "It changes " },
      { text: displayText(repo), bold: true },
      { text: `  ${keyIn(state.keymap, "add", "ticket-repo")} changes that`, tone: "waiting" },
    ],
    EMPTY,
    ...fieldLines(input, width, Math.max(1, most - 9)),
    [{ text: problem ?? fieldCount(input), tone: problem === undefined ? "waiting" : "bad" }],
    EMPTY,
    keysLine(state.keymap, "add"),
  ];
}

/** Asks for the login of the person whose review is requested. */
export function reviewLines(
  state: Mirror,
  modal: Extract<Modal, { kind: "review" }>,
  width: number,
  most: number,
): readonly SpanLine[] {
  const { pullRequest } = ticketIn(state, modal.ticket) ?? {};
  const asked = pullRequest?.reviewers ?? [];
  const before = asked.length === 0 ? "" : ` Asked before: ${asked.join(", ")}.`;
  const question = `Who should review pull request #${pullRequest?.number ?? "?"}?${before} This counts as an intervention.`;
  return [
    ...wrapped(displayTitle(state, modal.ticket), width, { bold: true }),
    ...wrapped(displayText(question), width, { tone: "waiting" }),
    EMPTY,
    ...fieldLines(modal.input, width, Math.max(1, most - 8)),
    [{ text: modal.problem ?? "a login, such as octocat", tone: modal.problem === undefined ? "waiting" : "bad" }],
    EMPTY,
    keysLine(state.keymap, "review"),
  ];
}
