import { commitMessage, teamKeys } from "../../domain/batch/commit-message.ts";
import { pullRequestBody } from "../../domain/forge/pull-request-text.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

/** The message of the commit by which an attempt's change lands. */
export function candidateMessage({ batch, run, state }: LoopContext, { ticket, n }: OpenAttempt): string {
  const teams = teamKeys(batch, state().plan.tickets);
  return commitMessage({ commit: batch.commit, ticket, run, attempt: n, agent: batch.agent, teams });
}

/** The text of the pull request of a candidate on this base, in the form of the repository's template if that is given. */
export function candidateBody(
  { batch, run, state }: LoopContext,
  { ticket, n }: OpenAttempt,
  { base, baseSha, template }: { readonly base: Repo["base"]; readonly baseSha: string; readonly template: string | undefined },
): string {
  const { attempt } = ticketById(state(), ticket.id);
  const passed = (attempt?.passed ?? []).map(({ index, kind, name, ms, notNeeded }) => {
    const spec = ticket.finish[index];
    const by = spec?.step === "review" && spec.by === "second" ? ", by the second reviewer" : "";
    return { step: `${kind === name ? kind : `${kind} ${name}`}${by}`, ms, notNeeded };
  });
  const teams = teamKeys(batch, state().plan.tickets);
  return pullRequestBody({ ticket, teams, passed, origin: { run, attempt: n, base, baseSha }, template });
}
