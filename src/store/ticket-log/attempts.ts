import type { StepSpec } from "../../domain/batch/step-spec.ts";
import { stepName } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { PassedStep } from "../../domain/run/landed-size.ts";
import { stepsNotNeeded } from "../../domain/run/not-needed.ts";
import type { Attempt, PastAttempt, RunningStep, TicketState } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plural } from "../../domain/values/text.ts";
import { displayText } from "../format.ts";
import { awaitedStep, passedSteps } from "../labels/progress-label.ts";
import { attemptEnd, type ShownEnd } from "../labels/tone.ts";
import type { LifeStep } from "../views/ticket.ts";

/**
 * The outcome of a step of an attempt. `unseen`: the attempt is over, and the run's state has no record of the step. `claimed`:
 * the agent has stopped by itself, which proves nothing. `not-needed`: the class of the ticket does not need it, so it was passed over.
 * `held`: it goes on once something outside the attempt has happened.
 */
export type AttemptMark =
  | "claimed"
  | "passed"
  | "not-needed"
  | "failed"
  | "running"
  | "waits"
  | "held"
  | "ahead"
  | "unreached"
  | "unseen";

/** One part of an attempt: its agent's work, or a step of its finish line. */
export interface AttemptEntry {
  readonly step: LifeStep;
  readonly spec?: StepSpec;
  readonly mark: AttemptMark;
  /** Its duration in milliseconds, if known. */
  readonly ms?: number;
  /** The start of a running part. Milliseconds since the epoch. */
  readonly since?: number;
  /** Its result, in one line. */
  readonly says?: string;
  /** The agent was asked for a plan alone. */
  readonly isPlan?: true;
  /** The checkout of a running step is being prepared: its command has not started. */
  readonly isPreparing?: true;
  /** The tickets that a running check is for. It runs for the last of them, which has its log. */
  readonly train?: readonly TicketId[];
}

/** One attempt at a ticket. */
export interface AttemptHistory {
  readonly n: number;
  /** Absent while it is running. With `held` it has no end yet. */
  readonly outcome?: ShownEnd;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly says: string;
  readonly entries: readonly AttemptEntry[];
}

/** All attempts at a ticket, oldest first. */
export function listAttemptHistories(ticket: TicketState, finish: readonly StepSpec[]): readonly AttemptHistory[] {
  const past = ticket.history.map((one) => {
    const outcome = attemptEnd(ticket, one);
    if (one.passedBeforeApproval !== undefined) return approvalHistory({ ...one, outcome }, one.passedBeforeApproval, finish);
    return pastAttemptHistory(
      { ...one, outcome },
      pastEvidence(ticket, one),
      finish,
      verifyEvidence(ticket, { ...one, outcome }),
    );
  });
  return ticket.attempt === undefined ? past : [...past, presentLife(ticket.attempt, ticket.history.at(-1), finish)];
}

/** The evidence of a failed attempt, while the run still keeps it: that of three at most. */
export function pastEvidence(ticket: TicketState, past: PastAttempt): Evidence | undefined {
  if (past.summary === "") return undefined;
  // Attempts that failed in the same words are distinguished by their order.
  const after = ticket.history.filter((other) => other.n > past.n && other.summary === past.summary).length;
  return ticket.evidence.filter(({ summary }) => summary === past.summary).at(-1 - after);
}

function presentLife(attempt: Attempt, before: PastAttempt | undefined, finish: readonly StepSpec[]): AttemptHistory {
  const notNeeded = stepsNotNeeded(attempt, before);
  return {
    n: attempt.n,
    startedAt: attempt.startedAt,
    says: "",
    outcome: attempt.isHeld && "held",
    entries: [
      { ...agentEntry(attempt), ...(attempt.isPlanning && { isPlan: true }) },
      ...finish.map((spec, i) => passedOver(presentStep(attempt, finish, spec, i), notNeeded)),
    ],
  };
}

function agentEntry({ agent, change, startedAt, merge, isHeld }: Attempt): AttemptEntry {
  if (agent === undefined) {
    const without = change !== undefined || merge !== undefined;
    return without
      ? { step: "agent", mark: "unreached", says: "continues from finished work" }
      : { step: "agent", mark: "ahead" };
  }
  if (agent.endedAt === undefined) return { step: "agent", mark: "running", since: agent.launchedAt ?? startedAt };
  const ms = agent.endedAt - agent.launchedAt;
  if (isHeld && agent.ending === undefined)
    return { step: "agent", mark: "held", ms, says: "ended: the journal cannot be written" };
  const well = agent.ending === "exited" && agent.exitCode === 0 && agent.stop === undefined;
  if (!well) return { step: "agent", mark: "failed", ms, says: agent.stop ?? agent.ending ?? "ended" };
  const says = change === undefined ? {} : { says: `+${change.additions} −${change.deletions}` };
  return { step: "agent", mark: "claimed", ms, ...says };
}

/** The entry of a step, marked if it was passed over instead of passed. */
function passedOver(entry: AttemptEntry, notNeeded: readonly number[] = []): AttemptEntry {
  const isOver = entry.mark === "passed" && notNeeded.some((index) => index === entry.step);
  return isOver ? { step: entry.step, spec: entry.spec, mark: "not-needed" } : entry;
}

function presentStep(attempt: Attempt, finish: readonly StepSpec[], spec: StepSpec, i: number): AttemptEntry {
  if (attempt.step?.index === i) return runningStep(attempt, attempt.step, spec);
  const { refused } = attempt;
  if (refused !== undefined && isEvidenceFrom(refused, spec))
    return { step: i, spec, mark: "failed", says: displayText(refused.summary) };
  const passed = attempt.passed.find(({ index }) => index === i);
  if (passed !== undefined) return passedEntry(passed, spec);
  if (passedSteps(attempt, finish).has(i)) return { step: i, spec, mark: "passed" };
  return { step: i, spec, mark: awaitedStep(attempt, finish) === spec ? "waits" : "ahead" };
}

/** A step that has passed: its time, and what it counted. */
function passedEntry({ index, ms, tests, byExitCode }: PassedStep, spec: StepSpec): AttemptEntry {
  const moved = tests && [`${plural(tests.added, "test")} more`, ...(tests.removed > 0 ? [`${tests.removed} fewer`] : [])];
  const says = byExitCode ? "by its exit code" : moved?.join(", ");
  return { step: index, spec, mark: "passed", ms, ...(says !== undefined && { says }) };
}

/** The entry of the step at work: that it runs again, and why, if it has passed before. */
function runningStep({ passed, repeated }: Attempt, { index, startedAt, part }: RunningStep, spec: StepSpec): AttemptEntry {
  const isRepeated = repeated !== undefined && passed.some((each) => each.index === index);
  return {
    ...{ step: index, spec, mark: "running", since: startedAt },
    says: isRepeated ? displayText(`again, ${repeated}`) : undefined,
    isPreparing: part?.text === "preparing" || undefined,
    train: part?.train,
  };
}

/** The `verify` that failed in an attempt whose change landed. For an earlier landing it is unknown, and the first one is shown. */
function verifyEvidence({ live }: TicketState, { n, outcome, summary }: EndedAttempt): Evidence | undefined {
  if (outcome !== "landed" || summary === "") return undefined;
  return { step: "verify", name: live?.attempt === n ? live.check : "", summary, detail: "" };
}

/** A past attempt with its end as it has turned out. */
type EndedAttempt = Omit<PastAttempt, "outcome"> & { readonly outcome: ShownEnd };

function pastAttemptHistory(
  past: EndedAttempt,
  evidence: Evidence | undefined,
  finish: readonly StepSpec[],
  check: Evidence | undefined,
): AttemptHistory {
  const { n, outcome, startedAt, endedAt } = past;
  const says = displayText(past.summary);
  const at = check === undefined ? failedStep(evidence, finish) : failedVerify(check, finish);
  const byAgent = evidence !== undefined && at < 0;
  const agent: AttemptEntry = {
    step: "agent",
    isPlan: past.isPlanning,
    mark: byAgent
      ? "failed"
      : outcome === "planned"
        ? "passed"
        : at >= 0 || past.claimed || outcome === "done"
          ? "claimed"
          : "unseen",
    ms: past.slotLeftAt - startedAt,
    says: byAgent ? says : undefined,
  };
  const steps = finish.map((spec, i): AttemptEntry => {
    const passed = past.passed?.find(({ index }) => index === i);
    if (i === at) return { step: i, spec, mark: "failed", says };
    if (passed !== undefined) return passedEntry(passed, spec);
    if (outcome === "done" || (at >= 0 && i < at)) return { step: i, spec, mark: "passed" };
    return { step: i, spec, mark: at >= 0 || byAgent || past.passed !== undefined ? "unreached" : "unseen" };
  });
  return { n, outcome, startedAt, endedAt, says, entries: [agent, ...steps.map((step) => passedOver(step, past.notNeeded))] };
}

/** An attempt that ended to wait for an approval: what it had passed, and the step that waited. */
function approvalHistory(
  { n, outcome, startedAt, slotLeftAt, endedAt, summary, claimed, hadAgent, notNeeded }: EndedAttempt,
  passed: NonNullable<PastAttempt["passedBeforeApproval"]>,
  finish: readonly StepSpec[],
): AttemptHistory {
  const says = displayText(summary);
  const agent: AttemptEntry = hadAgent
    ? { step: "agent", mark: claimed ? "claimed" : "unseen", ms: slotLeftAt - startedAt }
    : { step: "agent", mark: "unreached", says: "continues from finished work" };
  const at = finish.findIndex((_, i) => !passed.some(({ index }) => index === i));
  const steps = finish.map((spec, i): AttemptEntry => {
    const before = passed.find(({ index }) => index === i);
    if (before !== undefined) return { step: i, spec, mark: "passed", ms: before.ms };
    if (i !== at) return { step: i, spec, mark: outcome === "awaits-approval" ? "ahead" : "unreached" };
    return { step: i, spec, mark: "held", says };
  });
  return { n, outcome, startedAt, endedAt, says, entries: [agent, ...steps.map((step) => passedOver(step, notNeeded))] };
}

function failedStep(evidence: Evidence | undefined, finish: readonly StepSpec[]): number {
  return evidence === undefined ? -1 : finish.findIndex((spec) => isEvidenceFrom(evidence, spec));
}

function failedVerify(check: Evidence, finish: readonly StepSpec[]): number {
  const at = failedStep(check, finish);
  return at >= 0 ? at : finish.findIndex(({ step }) => step === "verify");
}

function isEvidenceFrom(evidence: Evidence, spec: StepSpec): boolean {
  return evidence.step === spec.step && (evidence.name === stepName(spec) || !("name" in spec) || evidence.name === spec.name);
}

/** The most informative entry: the failed one, else the running one, else the held one, else the last that is over. */
export function decisiveEntry(attempt: AttemptHistory): AttemptEntry | undefined {
  const find = (mark: AttemptMark): AttemptEntry | undefined => attempt.entries.find((entry) => entry.mark === mark);
  return (
    find("failed") ??
    find("running") ??
    find("held") ??
    attempt.entries.findLast(({ mark }) => mark === "passed") ??
    attempt.entries[0]
  );
}
