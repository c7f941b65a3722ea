import { join } from "node:path";
import type { Said } from "../../domain/forge/next-move.ts";
import { ticketOf } from "../../domain/run/state.ts";
import { rerunsOf } from "../../domain/triage/infrastructure.ts";
import type { Triage } from "../../domain/triage/triage.ts";
import { pause } from "../concurrency/wait.ts";
import type { StepScope } from "../programs/scope.ts";
import { type PullRequestDecision, untilDecided } from "./await-pull-request.ts";
import { fixEvidence, triageOfChecks } from "./pull-request-evidence.ts";
import {
  ask,
  mustAnnounce,
  type OpenPullRequest,
  type PullRequestContext,
  type PullRequestNeeds,
  pullRequestOf,
} from "./pull-request-scope.ts";
import type { StepFailed } from "./step.ts";

/** A decision, or a failure that an agent has to repair. */
type Settled = Exclude<PullRequestDecision, { do: "fix" }> | { readonly do: "failed"; readonly evidence: StepFailed["evidence"] };

/**
 * Waits until a pull request has landed, failed, or is a person's. Checks that failed by something outside the change (a registry, a lost
 * machine) are started again once; whatever else failed, or was said, is evidence for an agent.
 */
export async function untilSettled(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: PullRequestNeeds,
  open: OpenPullRequest,
): Promise<Settled> {
  for (;;) {
    const decision = await untilDecided(ctx, scope, needs, open);
    if (decision.do !== "fix") return decision;
    const names = decision.checks.map(({ name }) => name);
    const failures = names.length === 0 ? [] : await ask(ctx, scope, () => needs.pulls.failures(open.head, names));
    const triage = triageOfChecks(failures, {
      run: ctx.run,
      ticket: scope.ticket.id,
      attempt: ticketOf(ctx.state(), scope.ticket.id).attempt?.n ?? 0,
      headSha: open.head,
    });
    const again = rerunsOf(triage.json.findings, new Set(pullRequestOf(ctx, scope)?.rerun));
    if (decision.words.length > 0 || again.length === 0 || again.length < names.length) {
      await keepTriage(ctx, scope, triage);
      recordWords(scope, decision.words);
      return { do: "failed", evidence: fixEvidence(decision, triage) };
    }
    mustAnnounce(scope, { type: "pull-request-rerun", names: again });
    await ask(ctx, scope, () => needs.pulls.rerun(open.head, again));
    await pause(ctx.clock, needs.pulls.pauseMs(), scope.signal);
  }
}

/** Records the words that an agent gets: it gets them once. */
function recordWords(scope: StepScope, words: readonly Said[]): void {
  if (words.length === 0) return;
  const people = words.filter((said) => said.kind === "words" || !said.isBot).length;
  mustAnnounce(scope, { type: "pull-request-words", ids: words.map(({ id }) => id), people });
}

/** Keeps the triage where people find it. */
async function keepTriage(
  { files }: PullRequestContext,
  { files: { folder } }: StepScope,
  { json, priority, markdown }: Triage,
): Promise<void> {
  await files.write(join(folder, "triage.json"), `${JSON.stringify(json, undefined, 2)}\n`);
  await files.write(join(folder, "priority.json"), `${JSON.stringify(priority, undefined, 2)}\n`);
  await files.write(join(folder, "triage.md"), markdown);
}
