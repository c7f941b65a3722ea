import type { LandedProof } from "../../domain/run/proof-fact.ts";
import { freezeReason } from "../../domain/schedule/freeze.ts";
import { delays } from "../../domain/values/delays.ts";
import { boundedList, plainText } from "../../domain/values/text.ts";
import type { Candidate, Landing, Repo } from "../../ports/vcs.ts";
import { pause } from "../concurrency/wait.ts";
import { AttemptOver, abortedEnd, overIfAborted, type StepScope } from "../programs/scope.ts";
import { type Built, CHASES, type Landed, type StepContext, type StepFailed } from "./step.ts";

/** Waits after pushes that the forge refuses, before the next try: a hook may depend on something that passes. Milliseconds. */
const REFUSED_MS = [2_000, 10_000] as const;
/** Wait before a checkout that cannot be updated is checked again: the first, and the longest. Milliseconds. */
const LOOK_AGAIN_MS = { first: 500, most: 5_000 } as const;

type Refused = Extract<Landing, { as: "refused" }>;

/** The merge step's view of the finish line: a candidate on the current base that passed everything before `merge`. */
export interface MergeNeeds {
  readonly repo: Repo;
  /** The candidate that was checked last. */
  readonly checked: Built;
  /** True if a person has rewritten the ticket since the reviewer passed the candidate. */
  isOutdated(): boolean;
  /** Builds a candidate on the base tip and runs the steps before `merge` on it. Throws AttemptOver if one fails. */
  checkAgain(): Promise<Built>;
  /** The proof of a candidate, if it was proven alone. */
  landedProof(commit: string): LandedProof | undefined;
  /** Runs the moment of a landing while nothing else reads or moves the base. */
  inTurn<T>(land: () => Promise<T>): Promise<T>;
}

/**
 * Lands the checked candidate by compare-and-swap, which its turn in the trains allows. If the base has moved since the check, builds
 * and checks the candidate again: the checked commit is the one that lands. A push that the forge refuses three times ends the attempt
 * at a human gate if it is about who may push; else it is evidence for the next attempt. A checkout that is in the way for as long as an
 * attempt may take is a person's, too.
 */
export async function merge(
  ctx: Pick<StepContext, "batch" | "clock" | "state">,
  scope: StepScope,
  needs: MergeNeeds,
): Promise<Landed | StepFailed> {
  const { repo } = needs;
  let { checked } = needs;
  let deadline = ctx.clock.ran() + ctx.batch.limits.minutesPerAttempt * 60_000;
  const waits = delays(LOOK_AGAIN_MS.first, LOOK_AGAIN_MS.most);
  let refusals = 0;
  for (let chase = 0; chase < CHASES; ) {
    deadline += await waitForBase(ctx, scope);
    checked = await upToDate(needs, checked);
    const { base: from, commit: to } = checked;
    const refUpdate = { repo: repo.id, from, to };
    const land = async (): Promise<Landing | undefined> => {
      // Nothing is awaited from here to the intent; after the intent a kill or a gate is refused.
      if (!mayLand(ctx, scope, needs)) return undefined;
      const proof = needs.landedProof(to);
      if (!scope.announce({ type: "merge-intended", ...refUpdate, proof })) throw new AttemptOver({ outcome: "stopped" });
      return repo.land({ from, to });
    };
    const landing = await needs.inTurn(land).catch(overIfAborted(scope));
    if (landing === undefined) continue;
    if (landing.as === "landed") {
      const summary = `landed on ${repo.base} as ${to.slice(0, 7)}`;
      return { ok: true, summary, commit: to, facts: [{ type: "merge-landed", ...refUpdate }] };
    }
    if (landing.as === "moved") {
      chase += 1;
      continue;
    }
    const reason = plainText(landing.reason, 300);
    const isBounded = landing.as === "waiting" && landing.isRemote !== true;
    const until = isBounded ? { until: ctx.clock.now() + Math.max(0, deadline - ctx.clock.ran()) } : {};
    scope.announce({ type: "merge-waiting", reason, ...until });
    if (landing.as === "refused") {
      await beforeNextPush(ctx, scope, { refusals, base: repo.base, landing });
      refusals += 1;
      continue;
    }
    // A change that the forge has taken cannot be refused any more.
    if (isBounded && ctx.clock.ran() >= deadline)
      leaveToPerson(scope, `clear the way for the merge and reopen the ticket; it waited for this: ${reason}`);
    await pause(ctx.clock, waits.next().value, scope.signal);
  }
  return refuse(`the base moved ${CHASES} times while the change was being merged`, "");
}

/**
 * Waits before the next push. Ends the attempt once the forge has refused it too often: the step is a person's if the refusal is about who
 * may push, and an agent's if it is about the change.
 */
async function beforeNextPush(
  ctx: Pick<StepContext, "clock">,
  scope: StepScope,
  { refusals, base, landing }: { readonly refusals: number; readonly base: string; readonly landing: Refused },
): Promise<void> {
  const ms = REFUSED_MS[refusals];
  if (ms !== undefined) return pause(ctx.clock, ms, scope.signal);
  const reason = plainText(landing.reason, 300);
  if (landing.isForbidden !== true) {
    const { evidence } = refuse(`the push is refused: ${reason}`, "");
    throw new AttemptOver({ outcome: "failed", evidence });
  }
  leaveToPerson(
    scope,
    `let loopdash push to ${base} and reopen the ticket, or push its kept work yourself and close the ticket: ${reason}`,
  );
}

/** Ends the attempt at a human gate: its change is good, and only a person can clear what keeps it from landing. */
function leaveToPerson(scope: StepScope, step: string): never {
  if (!scope.announce({ type: "landing-gated", step: plainText(step, 600) })) throw new AttemptOver({ outcome: "stopped" });
  throw new AttemptOver({ outcome: "gated" });
}

/** False if the base is broken, or the ticket was rewritten. Throws AttemptOver once the attempt is cancelled. */
function mayLand(ctx: Pick<StepContext, "state">, scope: StepScope, { isOutdated }: MergeNeeds): boolean {
  if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
  return !isOutdated() && freezeReason(ctx.state(), scope.ticket.id) === undefined;
}

/** The candidate, checked again if the base has moved or the ticket was rewritten since. */
async function upToDate(needs: MergeNeeds, checked: Built): Promise<Built> {
  const isStale = needs.isOutdated() || checked.base !== (await needs.repo.baseTip());
  return isStale ? needs.checkAgain() : checked;
}

/** Time between two checks whether a base is still broken. Milliseconds. */
const RECHECK_MS = 200;

/**
 * Waits while the base is broken and the change is not its repair. Reports the reason, and each change of it. Returns the wait in
 * milliseconds, which counts against no deadline. Ends early once the attempt is cancelled.
 */
async function waitForBase(ctx: Pick<StepContext, "clock" | "state">, scope: StepScope): Promise<number> {
  const begun = ctx.clock.ran();
  let reported: string | undefined;
  for (;;) {
    const reason = scope.signal.aborted ? undefined : freezeReason(ctx.state(), scope.ticket.id);
    if (reason === undefined) return ctx.clock.ran() - begun;
    if (reason !== reported) scope.announce({ type: "merge-waiting", reason: plainText(reason, 300) });
    reported = reason;
    await pause(ctx.clock, RECHECK_MS, scope.signal);
  }
}

/** The evidence of a candidate that could not be built. */
export function conflictEvidence(candidate: Extract<Candidate, { ok: false }>): StepFailed {
  if (candidate.conflicts.length === 0)
    return refuse(`it cannot be merged with the base: ${plainText(candidate.detail, 300)}`, "");
  const paths = candidate.conflicts.map((path) => plainText(path, 200));
  const one = paths.length === 1 ? paths[0] : `${paths.length} files`;
  return refuse(`conflict with the base in ${one}`, `${boundedList(paths)}\n${candidate.detail}`);
}

function refuse(summary: string, detail: string): StepFailed {
  return { ok: false, evidence: { step: "merge", name: "merge", summary, detail } };
}

/** The queue of a broken base's repairs: a landing is a compare-and-swap, so a second queue is safe, and they pass those that wait. */
export function repairLane(repo: string): string {
  return `${repo} repair`;
}
