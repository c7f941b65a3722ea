import { describeBlocked } from "@loopdash/model-gateway";
import { failingOnBaseLine } from "@loopdash/test-evidence";
import { PARTY_NAMES } from "../domain/batch/party.ts";
import type { EventOf } from "../domain/run/event.ts";
import { describeElsewhere, describeKeptWork } from "../domain/run/kept-work.ts";
import type { PlanFact } from "../domain/run/plan-fact.ts";
import { type RunState, ticketById } from "../domain/run/state.ts";
import { suspensionText } from "../domain/run/suspension.ts";
import { plural } from "../domain/values/text.ts";
import { agentEndedLabel, attemptBeginsText, attemptEndedLabel, ENDINGS, mergeWaitsLabel } from "./describe-attempt.ts";
import { answeredLabel, changeLabel, prepareFailedLabel, retriedText, stepEndedLabel } from "./describe-claim.ts";
import { interventionText, judgedLabel, resumedText, reverifyLabel, startLabel, tripwireLabel } from "./describe-run.ts";
import { formatElapsed, formatMinute } from "./format.ts";
import { approvalLabel } from "./labels/approval-label.ts";
import { baseCheckLabel, baseMeasureLabel, liveCheckLabel, revertLabel } from "./labels/base-label.ts";
import { ciLabel, landedText, layoutLabel } from "./labels/ci-label.ts";
import { complexityLabel } from "./labels/complexity-label.ts";
import { guardLabel } from "./labels/guard-label.ts";
import { HEAL_EVENT_LABELS } from "./labels/heal-label.ts";
import { OBSERVED_LABELS } from "./labels/observed-label.ts";
import { planLabel } from "./labels/plan-label.ts";
import { preparationLabel } from "./labels/preparation-label.ts";
import { outageLabel } from "./labels/progress-label.ts";
import { proofLabel } from "./labels/proof-label.ts";
import { forgeRequestLabel, pullRequestLabel } from "./labels/pull-request-label.ts";
import { remedyLabel } from "./labels/remedy-label.ts";
import { signalsLabel } from "./labels/signals-label.ts";
import { type EventLabel, type EventLabels, questionLabel, reviewerLabel, STYLES, toned } from "./labels/tone.ts";

const nothing = (): undefined => undefined;

/** The line of every event, by subject; undefined if it is not worth one: progress that the rows show anyway. */
export const EVENT_LABELS: EventLabels = {
  "run-started": startLabel,
  "run-resumed": (event) => [STYLES.run, resumedText(event)],
  "run-paused": () => [toned(STYLES.paused, "waiting"), "paused: nothing new starts"],
  "run-unpaused": () => [STYLES.run, "unpaused"],
  "stop-requested": ({ by }) => [STYLES.ending, `${by === "person" ? "stop requested" : "stop by signal"}: agents are ended`],
  "run-ended": ({ verdict, reason }) => [verdict === "done" ? STYLES.done : STYLES.failed, `run ended: ${reason}`],
  "command-refused": ({ command, reason }) => [
    STYLES.failed,
    `refused: ${command.type}${"ticket" in command ? ` ${command.ticket}` : ""}: ${reason}`,
  ],
  intervention: (event, state) => [STYLES.person, interventionText(event, state)],
  "engine-suspended": (event) => [STYLES.heldUp, suspensionText(event)],
  "engine-waits": ({ text }) => [STYLES.heldUp, text],
  // The ticket view has the count.
  "audit-head": nothing,
  "suite-ran": nothing,

  "reverify-started": () => [STYLES.oracle, "re-verifying live state"],
  "reverify-waits": ({ why, until }) => [STYLES.oracle, `re-verification ${why}, until ${formatMinute(until)} at most`],
  "reverify-ended": reverifyLabel,
  "tripwire-started": nothing,
  "tripwire-ended": tripwireLabel,
  "oracle-asked": nothing,
  "oracle-judged": judgedLabel,

  "workers-set": ({ workers }) => [STYLES.run, `${plural(workers, "worker")} from now on`],
  "exclusive-awaited": ({ name, by }) => [
    STYLES.heldUp,
    `waits: ${name} is held by ${by === undefined ? "another run" : `the run ${by}`}`,
  ],
  "exclusive-freed": ({ name }) => [STYLES.run, `${name} is free again`],
  "backoff-started": ({ until, at, reason }) => [STYLES.heldUp, `no agent starts for ${formatElapsed(until - at)}: ${reason}`],
  "account-switched": ({ party, name, why }) => [
    STYLES.heldUp,
    `${party === "agent" ? "agents use" : `the ${PARTY_NAMES[party]} uses`} ${name} from now on: ${why}`,
  ],
  "others-spent-today": ({ usd }) => [
    STYLES.warning,
    `other runs spent $${usd.toFixed(2)} today: limits.usdPerDay has no room for another start`,
  ],
  "day-spend-unknown": ({ why }) => [STYLES.failed, `what other sessions have cost today is not known: ${why}`],
  "outage-started": outageLabel,
  "outage-continues": outageLabel,
  "outage-ended": outageLabel,

  ...HEAL_EVENT_LABELS,
  ...OBSERVED_LABELS,
  "base-check-started": baseCheckLabel,
  "base-check-ended": baseCheckLabel,
  "base-check-stopped": baseCheckLabel,
  "base-measure-due": nothing,
  "base-measure-started": nothing,
  "base-measured": baseMeasureLabel,
  "base-measure-stopped": nothing,
  "proof-started": proofLabel,
  "proof-ended": proofLabel,
  "proof-stopped": proofLabel,
  "revert-asked": revertLabel,
  "revert-started": revertLabel,
  "revert-intended": revertLabel,
  "revert-landed": revertLabel,
  "revert-waiting": revertLabel,
  "revert-ended": revertLabel,
  "revert-failed": revertLabel,
  "revert-stopped": revertLabel,
  "live-check-started": liveCheckLabel,
  "live-check-ended": liveCheckLabel,

  "ticket-discovered": ({ discovered, reason }) => [STYLES.found, `found ${discovered.id} "${discovered.title}": ${reason}`],
  "discovery-filed": () => [toned(STYLES.found, "plain"), "filed in the tracker: the batch has one ticket more"],
  "discovery-refused": ({ title, why }) => [STYLES.failed, `discovery refused: "${title}": ${why}`],
  "ticket-added": ({ added }) => [STYLES.person, `added ${added.id} "${added.title}"`],
  "batch-changed": changeLabel,
  "approval-awaited": approvalLabel,
  "change-approved": approvalLabel,
  "gate-requested": ({ step }) => [STYLES.person, `human gate requested: ${step}`],
  "gate-writing": nothing,
  "gate-postponed": nothing,
  "ticket-gated": ({ step }) => [STYLES.needsYou, `needs you: ${step}`],
  "ticket-stalled": ({ reason }) => [STYLES.failed, `stalled: ${reason}`],
  "ticket-retried": () => [STYLES.again, "retried by a person: its attempts are counted again from zero"],
  "ticket-reopened": ({ evidence }) => [STYLES.failed, `reopened: ${evidence.summary}`],
  remediated: remedyLabel,
  "report-dropped": ({ what }) => [STYLES.waits, `late report dropped: ${what}`],

  "attempt-claimed": (event, state) => [STYLES.agent, attemptBeginsText(event, ticketById(state, event.ticket))],
  "worktree-ready": nothing,
  "prepare-started": nothing,
  "prepare-failed": prepareFailedLabel,
  "preparation-awaited": preparationLabel,
  prepared: preparationLabel,
  "connection-blocked": (event) => [STYLES.failed, `${event.step}: ${describeBlocked(event)}`],
  "agent-launching": nothing,
  "agent-started": nothing,
  activity: nothing,
  "agent-spent": nothing,
  "signals-changed": signalsLabel,
  "complexity-changed": complexityLabel,
  "guard-blocked": guardLabel,
  "guard-dead": guardLabel,
  "stop-guard-told": guardLabel,
  "plan-asked": describePlan,
  "plan-written": describePlan,
  "plan-judged": describePlan,
  "kill-requested": ({ ending }) => [STYLES.ending, ENDINGS[ending] ?? "agent is ended"],
  "agent-ended": (event, state) => agentEndedLabel(event, ticketById(state, event.ticket).attempt?.isPlanning),
  "outbox-refused": ({ file, why }) => [STYLES.failed, `outbox: ${file} was not taken: ${why}`],
  "blocker-claimed": ({ claim }) => [toned(STYLES.waits, "claim"), `agent claims a blocker: ${claim}`],
  "blocker-ruled": (event) =>
    event.upheld
      ? [STYLES.needsYou, `blocker upheld: ${event.reason}; then yours: ${event.step}`]
      : [STYLES.failed, `blocker rejected, it is none: ${event.reason}`],
  "change-captured": ({ elsewhere, layout }) =>
    elsewhere === undefined ? layout && layoutLabel(layout) : [toned(STYLES.waits, "claim"), describeElsewhere(elsewhere)],
  "work-kept": (event) => [toned(STYLES.done, "plain"), describeKeptWork({ ...event, kept: event })],
  "work-not-kept": ({ why }) => [STYLES.failed, describeKeptWork({ notKept: why })],
  "attempt-ended": attemptEndedLabel,
  "attempt-bundled": nothing,
  "attempt-not-bundled": ({ attempt, why }) => [STYLES.failed, `attempt ${attempt}: its bundle could not be written: ${why}`],

  "step-started": nothing,
  "step-part-started": ({ part, trainFailed }) =>
    trainFailed === undefined ? undefined : [STYLES.again, `${part}: ${trainFailed}`],
  "step-ended": stepEndedLabel,
  "step-retried": (event, state) => [toned(STYLES.again, "waiting"), retriedText(event, state)],
  "steps-repeated": ({ why }) => [STYLES.again, `its steps run again, ${why}`],
  "reviewer-asked": (event, state) => [
    STYLES.finishing,
    `${questionLabel(event.question)}: asking ${reviewerLabel(state, event)}`,
  ],
  "reviewer-answered": answeredLabel,
  "base-failing": ({ tests, count, check }) => [STYLES.warning, `${failingOnBaseLine(tests, count)} (check ${check})`],
  "merge-waiting": (event, state) => mergeWaitsLabel(event, ticketById(state, event.ticket).attempt),
  "landing-gated": ({ step }) => [STYLES.needsYou, step],
  "merge-intended": nothing,
  "merge-landed": (event, state) => [STYLES.done, landedText(event, state)],
  "pull-request-intended": nothing,
  "pull-request-opened": pullRequestLabel,
  "pull-request-read": pullRequestLabel,
  "pull-request-merging": pullRequestLabel,
  "pull-request-words": pullRequestLabel,
  "pull-request-rerun": pullRequestLabel,
  "pull-request-gated": pullRequestLabel,
  "forge-request-started": nothing,
  "forge-request-ended": forgeRequestLabel,
  "ci-fixed": ciLabel,
  "ci-pushed": ciLabel,
  "ci-triaged": ciLabel,
};

function describePlan(event: EventOf<PlanFact["type"]>, state: RunState): EventLabel {
  return planLabel(event, ticketById(state, event.ticket).plan?.refusals ?? 0);
}
