import { Adjudication, type BlockerRuling, ruleOnBlocker } from "../../domain/outbox/ruling.ts";
import type { BlockerClaim, CapturedCommand } from "../../domain/outbox/schema.ts";
import { readAnswer } from "../../domain/review/answer.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { RunId, TicketId } from "../../domain/values/ids.ts";
import { boundedTail, plainText } from "../../domain/values/text.ts";
import type { Change, Repo } from "../../ports/vcs.ts";
import { howItEnded } from "../programs/run-in.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import { AttemptOver, overIfAborted } from "../programs/scope.ts";
import { type Replayed, renderAdjudicatorPrompt } from "../questions/adjudicator-prompt.ts";
import { askReviewer } from "../questions/ask.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

/** Minutes for one command of a claim, and for the reviewer's answer, unless the batch gives an attempt fewer. */
const REPLAY_MINUTES = 5;
const ASK_MINUTES = 15;

/** A ruling, or none because the batch names nobody who could give one. */
type Answer = BlockerRuling | "unruled";

/** The result of a claim: the step that is left to a person, or the evidence that the next attempt is given. */
export type Ruled = { readonly humanStep: string } | { readonly evidence: Evidence };

/**
 * Replays a claimed blocker and rules on it (S5.11). The engine itself runs the captured commands, on the change as it is and on the
 * base. Each must fail again with the same exit code: a command that fails by the change alone shows no blocker. Then the reviewer rules;
 * without a reviewer, a person does, and no agent starts before. Without a valid answer, the claim is rejected. Throws AttemptOver if the
 * attempt is cancelled.
 */
export async function adjudicateBlocker(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  options: { readonly claim: BlockerClaim; readonly change: Change; readonly baseSha: string },
): Promise<Ruled> {
  const { claim, humanStep } = options.claim;
  const at = { ticket: scope.ticket.id, fence: scope.fence };
  tell(ctx, { type: "blocker-claimed", ...at, claim: plainText(claim, 300), humanStep });
  const ruling = await rule(ctx, scope, repo, options);
  if (ruling === "unruled") return { evidence: unruled(options.claim, ctx.run, scope.ticket.id) };
  const { tip, paths, additions, deletions } = options.change;
  const change = ruling.upheld ? { change: { tip, files: paths.length, additions, deletions } } : {};
  const { upheld, reason } = ruling;
  tell(ctx, { type: "blocker-ruled", ...at, upheld, reason, step: humanStep, ...change });
  return upheld ? { humanStep } : { evidence: rejection(options.claim, ruling) };
}

/** Reports a fact. Ends the attempt if the fact is not admitted: it is late, or the run is over. */
function tell(ctx: LoopContext, fact: Parameters<LoopContext["report"]>[0]): void {
  if (!ctx.report(fact)) throw new AttemptOver({ outcome: "stopped" });
}

async function rule(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  { claim, change, baseSha }: Parameters<typeof adjudicateBlocker>[3],
): Promise<Answer> {
  if (ctx.batch.gated === "built" && change.paths.length === 0)
    return rejected('nothing is built, and the batch leaves only built tickets to a person ("gated": "built")');
  const replays: Replayed[] = [];
  for (const [i, captured] of claim.evidence.entries()) {
    const on = { captured, attributesOf: baseSha, log: `blocker-${i + 1}` };
    const replay = await runAgain(ctx, scope, repo, { ...on, commit: change.tip });
    if ("why" in replay) return rejected(replay.why);
    replays.push({ captured, output: replay.output });
    if (change.tip === baseSha) continue;
    const base = await runAgain(ctx, scope, repo, { ...on, commit: baseSha, log: `${on.log}-base` });
    if ("why" in base) return rejected(`on the base, without the change, ${base.why}`);
  }
  if (ctx.reviewer === undefined) return "unruled";
  const asked = await askReviewer(ctx, scope, repo, {
    question: "adjudicate",
    name: "adjudicator",
    commit: change.tip,
    attributesOf: baseSha,
    minutes: Math.min(ASK_MINUTES, ctx.batch.limits.minutesPerAttempt),
    prompt: ({ ticket, nonce, checkout }) => {
      const paths = change.paths.map(({ path }) => path);
      const question = { ticket, claim, replays, paths, commit: change.tip, checkout, nonce };
      return renderAdjudicatorPrompt(ctx.templates.adjudicator, question);
    },
    read: (text, nonce) => {
      const answer = readAnswer(text, { nonce, tree: change.tip, schema: Adjudication });
      if (!answer.ok) return answer;
      const value = ruleOnBlocker(answer.value);
      return { ok: true, value, says: `${value.upheld ? "upheld" : "rejected"}: ${value.reason}` };
    },
  });
  return asked.ok ? asked.value : rejected(`a blocker needs a reviewer to rule on it: ${asked.why}`);
}

/** Runs a captured command on a commit, in the place of steps' commands. Gives its output, or why it proves no blocker. */
async function runAgain(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  options: { readonly captured: CapturedCommand; readonly commit: string; readonly attributesOf: string; readonly log: string },
): Promise<{ readonly output: string } | { readonly why: string }> {
  const { captured, ...on } = options;
  const { command, exitCode } = captured;
  const shown = plainText(command.join(" "), 120);
  if (exitCode === 0) return { why: `${shown} is claimed to exit with code 0: it shows no wall` };
  const minutes = Math.min(REPLAY_MINUTES, ctx.batch.limits.minutesPerAttempt);
  const step = { step: "check", name: "blocker", command, minutes } as const;
  const run = () => runOnCommit(ctx, scope, repo, { step, ...on, purpose: undefined });
  const outcome = await ctx.commandPermits.run(run, scope.signal).catch(overIfAborted(scope));
  if (!outcome.ok) return { why: `${shown} could not be run again: ${outcome.evidence.summary}` };
  const { result } = outcome;
  if (result.ending === "exited" && result.exitCode === exitCode) return { output: result.tail };
  return { why: `${shown} ${howItEnded(result)} when the engine ran it again, not with code ${exitCode} as claimed` };
}

function rejected(why: string): BlockerRuling {
  return { upheld: false, reason: plainText(why, 400), failing: [] };
}

function unruled({ claim, humanStep }: BlockerClaim, run: RunId, ticket: TicketId): Evidence {
  const rule = `loopdash rule ${run} ${ticket}`;
  return {
    step: "blocker",
    name: "blocker",
    summary: `it claims a blocker, which you have to rule on: ${plainText(claim, 200)}`,
    detail: [
      `Left to a person, if you uphold it: ${humanStep}`,
      `Uphold it (g in the dashboard): ${rule} uphold`,
      `Reject it, and let an agent try again (r): ${rule} reject`,
      "Its commands fail again on fresh checkouts of the change and of the base, as it says.",
      "A reviewer in the batch rules on such claims without you.",
    ].join("\n"),
    humanStep,
    cause: "unruled",
  };
}

function rejection({ claim }: BlockerClaim, { reason, failing }: BlockerRuling): Evidence {
  const detail = [
    `Claimed: ${plainText(claim, 500)}`,
    `Rejected: ${reason}`,
    ...failing,
    "",
    "Do the ticket. A red check, a merge conflict, a failed deployment or a surprising plan is work, and no blocker.",
    "Claim a blocker again only for a wall that nobody can get past in the code, with a command that fails by it on fresh",
    "checkouts of your change and of the base, run without you, and say what else you tried.",
  ];
  return {
    step: "blocker",
    name: "blocker",
    summary: `the blocker was rejected: ${reason}`,
    detail: boundedTail(detail.join("\n")),
  };
}
