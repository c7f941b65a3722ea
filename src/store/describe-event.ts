import { failingOnBaseLine } from "@loopdash/test-evidence";
import { type CiFact, isAboutCi } from "../domain/ci/ci-fact.ts";
import { type ForgeRequestFact, isAboutForgeRequest } from "../domain/forge/forge-request.ts";
import { isAboutPullRequest, type PullRequestFact } from "../domain/forge/pull-request-fact.ts";
import { INTERVENTION_WORDS, type Intervention, interventionKind } from "../domain/results/intervention.ts";
import { type ApprovalFact, isAboutApproval } from "../domain/run/approval-fact.ts";
import { isAboutBaseCheck } from "../domain/run/base-check.ts";
import { isAboutBaseMeasure } from "../domain/run/base-measure.ts";
import type { ComplexityFact } from "../domain/run/complexity-fact.ts";
import type { EventOf, RunEvent } from "../domain/run/event.ts";
import { type GuardFact, isAboutGuard } from "../domain/run/guard-fact.ts";
import { isAboutHeal } from "../domain/run/heal-fact.ts";
import { isAboutRevert } from "../domain/run/live-check.ts";
import { isAboutPlan, type PlanFact } from "../domain/run/plan-fact.ts";
import { isAboutProof } from "../domain/run/proof-fact.ts";
import { type DriftEvent, isDriftEvent } from "../domain/run/reduce-drift.ts";
import { isOutageEvent, type OutageEvent } from "../domain/run/reduce-outage.ts";
import { isPeopleEvent, type PeopleEvent } from "../domain/run/reduce-people.ts";
import type { RevertEvent } from "../domain/run/reduce-revert.ts";
import type { RemedyFact } from "../domain/run/remedy-fact.ts";
import type { SignalsFact } from "../domain/run/signals-fact.ts";
import { type RunState, ticketById } from "../domain/run/state.ts";
import { plannedTicket } from "../domain/schedule/plan.ts";
import type { TicketId } from "../domain/values/ids.ts";
import { plural } from "../domain/values/text.ts";
import { vecItems } from "../domain/values/vec.ts";
import { agentEndedLabel, attemptBeginsText, attemptEndedLabel, ENDINGS, mergeWaitsLabel } from "./describe-attempt.ts";
import { changeLabel, claimLabel } from "./describe-claim.ts";
import { limitLabel } from "./describe-limit.ts";
import { displayText } from "./format.ts";
import { approvalLabel } from "./labels/approval-label.ts";
import { baseCheckLabel, baseLabels, baseMeasureLabel, liveCheckLabel, revertLabel } from "./labels/base-label.ts";
import { ciLabel, landedText } from "./labels/ci-label.ts";
import { complexityLabel } from "./labels/complexity-label.ts";
import { guardLabel } from "./labels/guard-label.ts";
import { healLabel } from "./labels/heal-label.ts";
import { observedLabel } from "./labels/observed-label.ts";
import { planLabel } from "./labels/plan-label.ts";
import { outageLabel } from "./labels/progress-label.ts";
import { proofLabel } from "./labels/proof-label.ts";
import { forgeRequestLabel, pullRequestLabel } from "./labels/pull-request-label.ts";
import { remedyLabel } from "./labels/remedy-label.ts";
import { signalsLabel } from "./labels/signals-label.ts";
import { type EventLabel, STYLES, specLabel, type Tone, toned } from "./labels/tone.ts";

/** One line of the event feed. `text` is safe to draw; `seq` names the line. */
export interface FeedLine {
  readonly seq: number;
  readonly at: number;
  readonly glyph: string;
  readonly text: string;
  readonly tone: Tone;
  readonly ticket?: TicketId;
}

/**
 * The lines of an event: its own, the reason of a preparation, and one if it broke a base or repaired it. Empty for progress that
 * the rows show anyway.
 */
export function describeEvents(event: RunEvent, state: RunState): readonly FeedLine[] {
  const own = describeEvent(event, state);
  const { seq, at } = event;
  const bases = baseLabels(event, state).map(([style, text]) => ({ seq: seq + 0.5, at, ...style, text: displayText(text) }));
  if (own === undefined) return bases;
  // Both would not fit into 80 columns.
  const why =
    event.type === "prepared" && event.why ? [{ ...own, seq: seq + 0.5, text: displayText(`because ${event.why}`) }] : [];
  return [own, ...why, ...bases];
}

/** Describes an event in a few words. Undefined if it is not worth a line: progress that the rows show anyway. */
export function describeEvent(event: RunEvent, state: RunState): FeedLine | undefined {
  const label = eventLabel(event, state);
  if (label === undefined) return undefined;
  const [{ glyph, tone }, text] = label;
  const base = { seq: event.seq, at: event.at, glyph, tone, text: displayText(text) };
  return "ticket" in event ? { ...base, ticket: event.ticket } : base;
}

type RunWide = Exclude<RunEvent, { ticket: TicketId } | OutageEvent | DriftEvent | PeopleEvent>;
type OfTicket = Exclude<
  Extract<RunEvent, { ticket: TicketId }>,
  | ApprovalFact
  | DriftEvent
  | PeopleEvent
  | RevertEvent
  | PullRequestFact
  | ForgeRequestFact
  | CiFact
  | GuardFact
  | SignalsFact
  | ComplexityFact
  | PlanFact
  | RemedyFact
>;

function eventLabel(event: RunEvent, state: RunState): EventLabel | undefined {
  if (isOutageEvent(event)) return outageLabel(event);
  if (isAboutPullRequest(event)) return pullRequestLabel(event);
  if (isAboutForgeRequest(event)) return forgeRequestLabel(event);
  if (isAboutApproval(event)) return approvalLabel(event);
  if (isAboutCi(event)) return ciLabel(event);
  if (event.type === "signals-changed") return signalsLabel(event);
  if (isAboutGuard(event)) return guardLabel(event);
  if (event.type === "complexity-changed") return complexityLabel(event);
  if (isAboutPlan(event)) return planLabel(event, ticketById(state, event.ticket).plan?.refusals ?? 0);
  if (event.type === "remediated") return remedyLabel(event);
  if (isDriftEvent(event) || isPeopleEvent(event)) return observedLabel(event);
  if (isAboutRevert(event)) return revertLabel(event, state);
  return "ticket" in event ? ticketEventLabel(event, state) : runEventLabel(event, state);
}

function runEventLabel(event: RunWide, state: RunState): EventLabel | undefined {
  if (isAboutHeal(event)) return healLabel(event);
  if (isAboutBaseCheck(event)) return baseCheckLabel(event, state);
  if (isAboutBaseMeasure(event)) return baseMeasureLabel(event);
  if (isAboutProof(event)) return proofLabel(event);
  switch (event.type) {
    case "run-started":
      return startLabel(event);
    case "run-resumed":
      return [STYLES.run, resumedText(event)];
    case "run-paused":
      return [toned(STYLES.paused, "waiting"), "paused: nothing new starts"];
    case "run-unpaused":
      return [STYLES.run, "unpaused"];
    case "stop-requested":
      return [STYLES.ending, event.by === "person" ? "stop requested: agents are ended" : "stop by signal: agents are ended"];
    case "run-ended":
      return [event.verdict === "done" ? STYLES.done : STYLES.failed, `run ended: ${event.reason}`];
    case "command-refused":
      return [
        STYLES.failed,
        `refused: ${event.command.type}${"ticket" in event.command ? ` ${event.command.ticket}` : ""}: ${event.reason}`,
      ];
    case "intervention":
      return [STYLES.person, interventionText(event, state)];
    case "reverify-started":
      return [STYLES.oracle, "re-verifying live state"];
    case "reverify-ended":
      return reverifyLabel(event, state);
    case "tripwire-started":
    case "oracle-asked":
    case "suite-ran":
      return undefined;
    case "tripwire-ended":
      return tripwireLabel(event, state);
    case "oracle-judged":
      return judgedLabel(event, state);
    case "ticket-added":
    case "batch-changed":
      return changeLabel(event);
    default:
      return limitLabel(event);
  }
}

/** A person's action is reported as theirs. */
function interventionText(event: EventOf<"intervention">, state: RunState | undefined): string {
  const counted = `${interventionKind(event.class)}; ${INTERVENTION_WORDS[event.class]}`;
  if (event.noted) return `intervention noted (${counted}): ${event.note}`;
  const isNew = state === undefined || state.interventions.some((each) => isSameInput(each, event));
  return `intervention on ${event.target} (${counted}): ${event.note}${isNew ? "" : " (counted before, as one decision)"}`;
}

function isSameInput(a: Intervention, b: Intervention): boolean {
  return a.at === b.at && a.class === b.class && a.target === b.target;
}

function tripwireLabel({ ok, canaries, problem, unproven }: EventOf<"tripwire-ended">, state: RunState | undefined): EventLabel {
  const undone = state?.heals.past.at(-1);
  if (!ok && undone?.reverted !== undefined && state?.stage !== "stopping")
    return [STYLES.failed, `heal ${undone.n} is undone because the tripwire rejected it: ${undone.reverted}`];
  if (unproven) return [toned(STYLES.oracle, "waiting"), `tripwire not proven yet: ${problem ?? "no reason given"}`];
  return ok
    ? [STYLES.oracle, `tripwire: ${plural(canaries, "canary", "canaries")} judged right`]
    : [toned(STYLES.oracle, "bad"), `tripwire fired: ${problem ?? "no reason given"}`];
}

function resumedText({ by, orphansKilled }: Extract<RunEvent, { type: "run-resumed" }>): string {
  const how = by === "engine" ? " by itself: its journal can be written again" : "";
  const orphans = orphansKilled === 0 ? "" : `, ${plural(orphansKilled, "orphan")} ended`;
  return `run resumed${how}${orphans}`;
}

function startLabel({ batch }: EventOf<"run-started">): EventLabel {
  return [STYLES.run, `run started: ${plural(batch.tickets.length, "ticket")}, ${plural(batch.limits.workers, "worker")}`];
}

function reverifyLabel(event: EventOf<"reverify-ended">, state: RunState): EventLabel {
  if (event.problem !== undefined) return [toned(STYLES.oracle, "bad"), `re-verification: ${event.problem}`];
  if (event.reopened > 0) return [toned(STYLES.oracle, "bad"), `re-verified: ${plural(event.reopened, "ticket")} reopened`];
  const { checked, notLive = 0 } = event;
  if (event.outdated) return [STYLES.oracle, "re-verification is repeated: a person has settled a ticket meanwhile"];
  if (notLive > 0)
    return [toned(STYLES.oracle, "bad"), `re-verified: ${notLive} of ${plural(checked ?? notLive, "landed ticket")} not live`];
  const landed = checked ?? [...vecItems(state.tickets)].filter(({ mergedSha }) => mergedSha !== undefined).length;
  const found =
    landed === 0 ? "no ticket of this run has landed" : `${landed} landed ${landed === 1 ? "ticket holds" : "tickets hold"}`;
  return [STYLES.oracle, `re-verified: ${found}`];
}

/** Open tickets that one line names. */
const NAMED = 6;

function judgedLabel({ judgement }: EventOf<"oracle-judged">, state: RunState): EventLabel {
  const { counts, verdict } = judgement;
  if (verdict === "unjudged")
    return [toned(STYLES.oracle, "bad"), `oracle cannot judge: ${judgement.problem ?? "no reason given"}`];
  if (verdict === "done") return [toned(STYLES.oracle, "good"), `oracle: done (${counts.done} done, ${counts.gated} gated)`];
  const named = judgement.open.slice(0, NAMED);
  const more = counts.open > named.length ? " …" : "";
  const open = named.length === 0 ? "" : `: ${named.join(" ")}${more}`;
  return [STYLES.oracle, `oracle: not done, ${counts.open} of ${state.plan.tickets.length} open${open}`];
}

function ticketEventLabel(event: OfTicket, state: RunState): EventLabel | undefined {
  switch (event.type) {
    case "activity":
    case "agent-spent":
    case "agent-launching":
    case "agent-started":
    case "worktree-ready":
    case "prepare-started":
    case "step-started":
    case "merge-intended":
    case "gate-writing":
    case "gate-postponed":
      return undefined;
    case "exclusive-awaited":
    case "reverify-waits":
      return limitLabel(event);
    case "attempt-claimed":
      return [STYLES.agent, attemptBeginsText(event, ticketById(state, event.ticket))];
    case "kill-requested":
      return [STYLES.ending, ENDINGS[event.ending] ?? "agent is ended"];
    case "agent-ended":
      return agentEndedLabel(event, ticketById(state, event.ticket).attempt?.isPlanning);
    case "step-ended":
      return stepEndedLabel(event, state);
    case "base-failing":
      return [STYLES.warning, `${failingOnBaseLine(event.tests, event.count)} (check ${event.check})`];
    case "merge-waiting":
      return mergeWaitsLabel(event, ticketById(state, event.ticket).attempt);
    case "landing-gated":
      return [STYLES.needsYou, event.step];
    case "merge-landed":
      return [STYLES.done, landedText(event, state)];
    case "attempt-ended":
      return attemptEndedLabel(event, state);
    case "live-check-started":
    case "live-check-ended":
      return liveCheckLabel(event, state);
    case "gate-requested":
      return [STYLES.person, `human gate requested: ${event.step}`];
    case "ticket-gated":
      return [STYLES.needsYou, `needs you: ${event.step}`];
    case "ticket-stalled":
      return [STYLES.failed, `stalled: ${event.reason}`];
    case "ticket-retried":
      return [STYLES.again, "retried by a person: its attempts are counted again from zero"];
    case "ticket-reopened":
      return [STYLES.failed, `reopened: ${event.evidence.summary}`];
    case "report-dropped":
      return [STYLES.waits, `late report dropped: ${event.what}`];
    default:
      return claimLabel(event, state);
  }
}

/** Steps that pass without a line of their own: other lines report the landing and the finished ticket. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set(["merge", "assert"]);

/** A step names itself, whatever its summary says. */
function stepEndedLabel(event: EventOf<"step-ended">, state: RunState): EventLabel | undefined {
  const spec = plannedTicket(state.plan, event.ticket).finish[event.step];
  if (event.ok && TOLD_OTHERWISE.has(spec?.step ?? "")) return undefined;
  const word = spec === undefined ? "step" : specLabel(spec);
  const text = event.summary === "" || event.summary === word ? word : `${word}: ${event.summary}`;
  if (!event.ok) return [STYLES.failed, text];
  return [event.notNeeded ? STYLES.notNeeded : toned(STYLES.done, "plain"), text];
}
