import type { AskedReviewer } from "../batch/party.ts";
import type { Ticket } from "../batch/schema.ts";
import type { EventOf, RunEvent } from "../run/event.ts";
import type { PastAttempt } from "../run/ticket-state.ts";
import type { RunId } from "../values/ids.ts";
import { BUNDLE_FORMAT, type BundleFile, type ListedAttempt } from "./bundle.ts";

/** An ended attempt, for its bundle. `events`: what its facts were, from its claim on, without activity. */
export interface EndedAttempt {
  readonly run: RunId;
  readonly batch: string;
  readonly ticket: Ticket;
  readonly past: PastAttempt;
  readonly events: readonly RunEvent[];
}

/** The verdict of one step of the finish line. */
interface StepVerdict {
  readonly step: string;
  readonly kind: string;
  readonly verdict: "passed" | "not needed" | "failed" | "cut off";
  /** The reason, in one line. */
  readonly why: string;
  readonly seconds: number | null;
  /** The commit that it judged. */
  readonly judged?: string;
}

/** An answer of a reviewer. */
interface Answer extends AskedReviewer {
  readonly question: string;
  readonly counts: boolean;
  readonly says: string;
  readonly costUsd: number;
  /** It was about a planted defect. */
  readonly canary?: "seen" | "missed";
}

/** The `bundle.json` of an attempt: what happened in it, and its files. Times in ISO 8601, UTC. */
export interface AttemptBundle extends ListedAttempt {
  readonly batch: string;
  readonly title: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: PastAttempt["outcome"];
  readonly why: string;
  readonly agent: { readonly ending: string; readonly exitCode: number | null; readonly claimedDone: boolean } | null;
  readonly change: ChangeOf | null;
  readonly landed: readonly { readonly repo: string; readonly from: string; readonly to: string }[];
  readonly pullRequest: { readonly number: number; readonly url: string } | null;
  /** The branch with the work of an attempt that was cut off. */
  readonly keptWork: NonNullable<PastAttempt["kept"]> | null;
  readonly steps: readonly StepVerdict[];
  readonly reviewer: readonly Answer[];
  readonly costUsd: { readonly agent: number; readonly reviewer: number; readonly total: number };
  /** Files of the folder that are not listed, with the reason. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

interface ChangeOf {
  readonly base: string | null;
  readonly tip: string;
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
}

/** The bundle of an ended attempt. */
export function attemptBundle(
  { run, batch, ticket, past, events }: EndedAttempt,
  { files, leftOut }: { readonly files: readonly BundleFile[]; readonly leftOut: AttemptBundle["leftOut"] },
): AttemptBundle {
  const agent = last(events, "agent-ended");
  const opened = last(events, "pull-request-opened");
  const reviewer = events.flatMap((event) => (event.type === "reviewer-answered" ? [reviewerAnswer(event)] : []));
  return {
    format: BUNDLE_FORMAT,
    kind: "attempt",
    run,
    batch,
    ticket: ticket.id,
    title: ticket.title,
    attempt: past.n,
    startedAt: new Date(past.startedAt).toISOString(),
    endedAt: new Date(past.endedAt).toISOString(),
    outcome: past.outcome,
    why: past.summary,
    agent: agent === undefined ? null : { ending: agent.ending, exitCode: agent.exitCode, claimedDone: past.claimed },
    change: attemptChange(events),
    landed: events.flatMap((event) =>
      event.type === "merge-landed" ? [{ repo: event.repo, from: event.from, to: event.to }] : [],
    ),
    pullRequest: opened === undefined ? null : { number: opened.number, url: opened.url },
    keptWork: past.kept ?? null,
    steps: listStepVerdicts(events),
    reviewer,
    costUsd: {
      agent: agent?.costUsd ?? 0,
      reviewer: reviewer.reduce((sum, { costUsd }) => sum + costUsd, 0),
      total: past.costUsd,
    },
    leftOut,
    files: [...files],
  };
}

/** The commits of an attempt's change: of a captured one, or of work that was kept. Undefined if there is none. */
export function attemptCommits(events: readonly RunEvent[]): { readonly from: string; readonly tip: string } | undefined {
  const from = last(events, "worktree-ready")?.baseSha;
  const tip = attemptChange(events)?.tip ?? last(events, "work-kept")?.sha ?? last(events, "attempt-ended")?.tip;
  return from === undefined || tip === undefined ? undefined : { from, tip };
}

function attemptChange(events: readonly RunEvent[]): ChangeOf | null {
  const change = last(events, "change-captured") ?? last(events, "blocker-ruled")?.change;
  if (change === undefined) return null;
  const { tip, files, additions, deletions } = change;
  return { base: last(events, "worktree-ready")?.baseSha ?? null, tip, files, additions, deletions };
}

/** Every step that began, in order: one that ran again because its base had moved is there twice. */
function listStepVerdicts(events: readonly RunEvent[]): readonly StepVerdict[] {
  const steps: StepVerdict[] = [];
  let begun: EventOf<"step-started"> | undefined;
  const put = (end?: EventOf<"step-ended">): void => {
    if (begun === undefined) return;
    const { kind, name: step } = begun;
    const verdict = end === undefined ? "cut off" : stepVerdict(end);
    const seconds = end === undefined ? null : (end.at - begun.at) / 1000;
    const judged = end?.judged === undefined ? {} : { judged: end.judged };
    steps.push({ step, kind, verdict, why: end?.summary ?? "", seconds, ...judged });
    begun = undefined;
  };
  for (const event of events) {
    if (event.type === "step-ended" && event.step === begun?.step) put(event);
    if (event.type !== "step-started") continue;
    put();
    begun = event;
  }
  put();
  return steps;
}

function stepVerdict({ ok, notNeeded }: EventOf<"step-ended">): StepVerdict["verdict"] {
  if (!ok) return "failed";
  return notNeeded ? "not needed" : "passed";
}

function reviewerAnswer({ by, question, valid: counts, says, costUsd, canary }: EventOf<"reviewer-answered">): Answer {
  return { by, question, counts, says, costUsd, canary };
}

function last<T extends RunEvent["type"]>(events: readonly RunEvent[], type: T): EventOf<T> | undefined {
  return events.findLast((event): event is EventOf<T> => event.type === type);
}
