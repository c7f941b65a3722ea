import type { AskedReviewer } from "../batch/party.ts";
import type { StepKind } from "../batch/step-spec.ts";
import type { ReflectedChange } from "../behaviour/reflected-change.ts";
import type { Reflection } from "../behaviour/reflection.ts";
import type { CiLoop } from "../ci/ci-fact.ts";
import type { ComplexityRuling } from "../complexity/classes.ts";
import type { TicketPullRequest } from "../forge/pull-request-fact.ts";
import type { Fence, RunId, TicketId } from "../values/ids.ts";
import type { AwaitedApproval } from "./approval-fact.ts";
import type { AgentEnding, AgentStopKind, AttemptOutcome, Evidence, EvidenceCause, Question } from "./attempt-fact.ts";
import type { AuditResult } from "./audit-fact.ts";
import type { FailingOnBase } from "./base-fact.ts";
import type { KnownBlocked } from "./blocked-fact.ts";
import type { TicketBranches } from "./branch-fact.ts";
import type { BundleResult } from "./bundle-fact.ts";
import type { TrackedTicket } from "./drift-fact.ts";
import type { CarriedOverWork, EarlierLanding } from "./event.ts";
import type { GuardResult } from "./guard-fact.ts";
import { type KeptWorkResult, keptBranch } from "./kept-work.ts";
import type { LandedSize, PassedStep } from "./landed-size.ts";
import type { LiveState, RevertedChange } from "./live-check.ts";
import type { TicketPlan } from "./plan-fact.ts";
import type { StepPart } from "./prepare-fact.ts";
import type { LandedProof } from "./proof-fact.ts";
import type { DueRemedy, Remedy } from "./remedy-fact.ts";
import type { SignalsResult } from "./signals-fact.ts";

/**
 * The phase of a ticket. `ready` is not stored: it is `waiting` with nothing left to wait for. `landed`: its change is in the base,
 * and its live check does not pass yet.
 */
export type Phase = "waiting" | "working" | "finishing" | "landed" | "done" | "human-gated" | "stalled";

/** The running step of the finish line. `startedAt` in milliseconds. */
export interface RunningStep {
  readonly index: number;
  readonly kind: StepKind;
  readonly name: string;
  readonly startedAt: number;
  /** The step within which it runs: a merge has its candidate checked. */
  readonly outer?: RunningStep;
  readonly part?: StepPart;
}

/** The running attempt. */
export interface Attempt extends AuditResult, GuardResult, KeptWorkResult, SignalsResult {
  readonly n: number;
  readonly fence: Fence;
  readonly slot: number;
  /** Set once its agent has left the slot: the finish line runs beside the slots. */
  readonly slotLeftAt?: number;
  readonly startedAt: number;
  readonly reservedUsd: number;
  /** Dollars that its agent had spent when it was last told. For people alone: caps go by `reservedUsd` and `agent.costUsd`. */
  readonly spentUsd?: number;
  readonly worktree?: { readonly path: string; readonly branch: string; readonly baseSha: string };
  /** Set from the intent to start the agent; `pid` follows once there is a process. */
  readonly agent?: {
    readonly launchedAt: number;
    readonly pid?: number;
    readonly startTime?: string;
    readonly endedAt?: number;
    readonly ending?: AgentEnding;
    readonly exitCode?: number | null;
    readonly stop?: AgentStopKind;
    readonly costUsd?: number;
  };
  /** The prepare command at work in its worktree; absent once the worktree is ready. */
  readonly preparing?: { readonly command: string; readonly startedAt: number };
  /** Its blocked connections, each reported once. */
  readonly blocked?: readonly KnownBlocked[];
  readonly lastLine?: string;
  readonly lastOutputAt?: number;
  readonly lines: number;
  readonly change?: { readonly tip: string; readonly files: number; readonly additions: number; readonly deletions: number };
  /** Its change, for the reflective log. */
  readonly reflected?: ReflectedChange;
  readonly step?: RunningStep;
  /** The time since which its finished work waits for its next step; absent while a step runs. Milliseconds since the epoch. */
  readonly idleSince?: number;
  readonly passed: readonly PassedStep[];
  /** Set once a check has refused its change, which is then never checked again. */
  readonly refused?: Evidence;
  readonly merge?: { readonly from: string; readonly to: string; readonly landed: boolean; readonly proof?: LandedProof };
  /** Why the steps before the merge began again the last time: "since …". */
  readonly repeated?: string;
  /** Why a merge cannot land yet, in words; and the last such reason through all tries, since when it holds, and the time of the last try. */
  readonly waiting?: string;
  readonly waited?: { readonly reason: string; readonly since: number; readonly until?: number };
  /** The reason why its preparation has to wait for another, in words. */
  readonly awaited?: string;
  /** The open question to a reviewer, and the dollars set aside for it. */
  readonly asked?: { readonly question: Question; readonly reservedUsd: number } & AskedReviewer;
  /** The stop that kept the reviewer from answering its last question. It is no failure of the work. */
  readonly unanswered?: AgentStopKind;
  /** True if a model's API turned it away during an outage that was known before. */
  readonly inOutage?: true;
  /** Dollars of its questions to the reviewer. */
  readonly questionsUsd?: number;
  /** The step that failed by a transient and is retried at `until` (milliseconds since the epoch). */
  readonly retried?: { readonly step: number; readonly transient: string; readonly until: number };
  /** Set once its blocker was upheld: its work may land, and then this step is left to a person. Or the forge leaves it to a person. */
  readonly humanStep?: string;
  /** Set if the forge, not a blocker, needs the person. */
  readonly gatedBy?: "forge";
  /** The heal whose wall it rules on, without an agent. */
  readonly wall?: number;
  /** Set once a person has rewritten the ticket: its change is the answer to another text. */
  readonly isOutdated?: true;
  /** Set once the engine has acted on a failed gate of its behaviour. It has failed, whatever becomes of it. */
  readonly isRemedied?: true;
  /** Set if it makes or judges a plan: whatever its agent changes counts for nothing. */
  readonly isPlanning?: true;
  /** Set once its end was requested; the first cause wins. */
  readonly killing?: AgentEnding;
  /** Set while the journal cannot be written: nothing of it runs. Never journalled; see `heldByJournal`. */
  readonly isHeld?: true;
}

/** A past attempt. Times in milliseconds. */
export interface PastAttempt extends AuditResult, BundleResult, GuardResult, KeptWorkResult, SignalsResult {
  readonly n: number;
  readonly slot: number;
  readonly startedAt: number;
  readonly slotLeftAt: number;
  readonly endedAt: number;
  readonly outcome: AttemptOutcome;
  readonly summary: string;
  /** The part that its evidence is about; absent without evidence. */
  readonly failedAt?: Evidence["step"];
  /** Set if a forge sent its change back (see `isFromForge`). */
  readonly sentBack?: true;
  /** True if the agent stopped by itself with exit 0: it claimed to have done the ticket. */
  readonly claimed: boolean;
  /** Dollars of its agent and of its questions to the reviewer. */
  readonly costUsd: number;
  readonly passed?: readonly PassedStep[];
  /** The steps that it had passed when it ended to wait for a person's approval of its change; absent for every other end. */
  readonly passedBeforeApproval?: readonly { readonly index: number; readonly ms: number }[];
  /** The indexes of the steps that it passed over, if there are any (see `stepsNotNeeded`). */
  readonly notNeeded?: readonly number[];
  /** It has only read the checks of the branch. */
  readonly readOnly?: true;
  /** Its change was kept out unjudged, because its ticket is to be planned first. */
  readonly unplanned?: true;
  /** An agent has begun to work in it. */
  readonly hadAgent?: true;
  /** It made or judged a plan. */
  readonly isPlanning?: true;
}

/** Common signs of a ticket's failures in a row. */
export interface Signs {
  /** The identity of the last failure (see `identityOf`), and how many times in a row it occurred. */
  readonly failure?: { readonly identity: string; readonly times: number };
  /** Attempts in a row that changed nothing. */
  readonly unchanged?: number;
  /** Attempts in a row that a model's API turned away: their agent, or their question to the reviewer. */
  readonly turnedAway?: number;
  /** Set if the next agent would meet the same stop as the last one, or could change nothing about the failure. */
  readonly hopeless?: AgentStopKind | EvidenceCause;
  /** Set if a failed gate of an agent's behaviour left the ticket to a person, with what the gate found. */
  readonly behaviour?: string;
}

/** Finished work of an agent whose finish line was cut off. */
export interface PendingWork extends Omit<CarriedOverWork, "id"> {
  readonly claimed: boolean;
  /** The number of changed files; absent for work of an earlier run. */
  readonly files?: number;
  /** Set for the work of an upheld blocker: it ends in a human gate. */
  readonly humanStep?: string;
}

/** The state of a ticket. Times in milliseconds since the epoch, money in dollars. */
export interface TicketState {
  readonly id: TicketId;
  readonly phase: Phase;
  /** Dependencies that are not done yet. */
  readonly openDeps: number;
  /** Attempts that count against the cap. */
  readonly failures: number;
  /** Common signs of its failures in a row; absent before the first. */
  readonly signs?: Signs;
  readonly costUsd: number;
  readonly attempt?: Attempt;
  readonly history: readonly PastAttempt[];
  /** Its reflective log, oldest first; absent before the first attempt has ended. */
  readonly reflections?: readonly Reflection[];
  /** The remediations of its attempts, oldest first; absent before the first. */
  readonly remedies?: readonly Remedy[];
  /** The remediation that its next attempt with an agent carries out. */
  readonly due?: DueRemedy;
  /** Evidence of failed attempts, oldest first, at most three. */
  readonly evidence: readonly Evidence[];
  /** Refused parts of the outbox of its n-th attempt, for the next prompt: one line each, at most 20. */
  readonly refusals?: { readonly n: number; readonly lines: readonly string[] };
  /** By check, as last measured. */
  readonly failingOnBase?: readonly FailingOnBase[];
  readonly mergedSha?: string;
  /** The base before `mergedSha` landed. */
  readonly mergedFrom?: string;
  /** The size of what it landed last, as far as it was counted. */
  readonly landedWith?: LandedSize;
  /** Its landing by an earlier run. `mergedSha` is this run's own, or the same commit while its live check is repeated. */
  readonly landedEarlier?: EarlierLanding;
  /** Set once its landed change is not known to be live. */
  readonly live?: LiveState;
  /** Its last change that had landed and was reverted. */
  readonly reverted?: RevertedChange;
  readonly humanStep?: string;
  /** The change of danger zones that waits for a person, and since when. */
  readonly approval?: AwaitedApproval & { readonly at: number };
  /** Its class so far, which only rises; absent without routing by complexity. */
  readonly complexity?: ComplexityRuling;
  /** Its plan, if its class is planned first; absent before the first. */
  readonly plan?: TicketPlan;
  /** The digests of changes that a person has approved, the oldest first. */
  readonly approved?: readonly string[];
  /** It goes on after a person's approval, and the tracker still says that it is left to a person. */
  readonly ungated?: true;
  /** A person requested the gate, a blocker was upheld, the forge or a zone needs a person, or its agent's behaviour failed a gate. It counts once the tracker holds it. */
  readonly gate?: {
    readonly step: string;
    readonly writing: boolean;
    readonly by?: "blocker" | "forge" | "zone";
    /** This engine does not write it any more: the run is ending, and the tracker did not take it. */
    readonly postponed?: true;
  };
  readonly stalledReason?: string;
  readonly stalledBy?: "attempts" | "origin";
  /** Past attempts at the time of a person's last retry or new text. Failures among them were not fixed without a person. */
  readonly retriedAfter?: number;
  /** The ticket whose worker found this one; absent if the batch named it. */
  readonly foundBy?: TicketId;
  /** When it joined the run: a worker found it, or a person added it. Milliseconds since the epoch; absent if the batch named it. */
  readonly joinedAt?: number;
  /** A ticket that joined the run and that the tracker does not hold yet. The engine files it. */
  readonly unfiled?: true;
  /** Work that a stop or a lost engine cut off after the agent had ended. The next attempt continues it without an agent. */
  readonly pendingWork?: PendingWork;
  /** The heal whose wall is to be ruled on. The next attempt does that, without an agent. */
  readonly wall?: number;
  readonly endedAt?: number;
  /** The ticket in the tracker, as the engine last saw or wrote it. */
  readonly tracked?: TrackedTicket;
  /** Its pull request, if its repository's changes land by those. */
  readonly pullRequest?: TicketPullRequest;
  /** Its attempts at the checks of a branch, if those decide. */
  readonly ci?: CiLoop;
  /** Its branches; absent before the first attempt. */
  readonly branches?: TicketBranches;
  /** A person closed it in the tracker: it is settled once its attempt has ended (`closing`), and then stays so (`closed`). */
  readonly closedByPerson?: "closing" | "closed";
}

/** True if nothing more happens to a ticket by itself. */
export function isSettled(phase: Phase): boolean {
  return phase === "done" || phase === "human-gated" || phase === "stalled";
}

/** Attempts whose evidence is kept for the next prompt. */
const KEPT_EVIDENCE = 3;

/** Appends evidence, keeping the newest three. */
export function withEvidence(ticket: TicketState, evidence: Evidence | undefined): TicketState {
  return evidence === undefined ? ticket : { ...ticket, evidence: [...ticket.evidence, evidence].slice(-KEPT_EVIDENCE) };
}

/** True if an agent claims to be done by its end: it stopped by itself, without an error. */
export function claimsDone({ ending, exitCode, stop }: NonNullable<Attempt["agent"]>): boolean {
  return ending === "exited" && exitCode === 0 && stop === undefined;
}

/** True if an engine has told the tracker that the ticket is done, which it does after all else has passed. */
export function isToldDone({ tracked }: Pick<TicketState, "tracked">): boolean {
  return tracked?.state.as === "done" && !tracked.isSetByPerson;
}

/**
 * The ticket after a person has rewritten it. What has landed stays landed. Work that was finished for the old text and waits stays
 * on a branch and does not land: an agent gets the new one. A running attempt goes on; if it is postponed, the same holds for it.
 */
export function rewritten(run: RunId, ticket: TicketState): TicketState {
  const { attempt, due: _, live, pendingWork, plan, ...rest } = ticket;
  const isLanded = pendingWork?.landed !== undefined;
  const isSetAside = pendingWork !== undefined && !isLanded && attempt === undefined;
  const history = isSetAside ? withKept(run, ticket, pendingWork) : rest.history;
  return {
    ...rest,
    history,
    ...(history.length > 0 && { retriedAfter: history.length }),
    ...(attempt && { attempt: { ...attempt, isOutdated: true } }),
    ...(live && { live: { ...live, rewritten: true } }),
    // The reviewer is asked again, with the new text.
    ...(plan?.state === "written" && attempt && { plan }),
    ...(pendingWork && !isSetAside && { pendingWork: isLanded ? { ...pendingWork, rewritten: true } : pendingWork }),
  };
}

/** The history with the waiting work of the last attempt as kept. What an earlier run left stays on that run's branch. */
function withKept(run: RunId, { id, history }: TicketState, { tip, files }: PendingWork): TicketState["history"] {
  const last = history.at(-1);
  if (last === undefined || files === undefined || last.kept !== undefined) return history;
  return history.with(-1, { ...last, kept: { branch: keptBranch(run, id, last.n), sha: tip, files } });
}
