import type { ForgeRequest, ForgeRequestFact } from "../../domain/forge/forge-request.ts";
import type { RunState } from "../../domain/run/state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { plainText } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { ForgeUnavailable, type PullRequests } from "../../ports/forge.ts";
import type { LoopContext } from "../attempt/context.ts";

type Started = Omit<Extract<ForgeRequestFact, { type: "forge-request-started" }>, "type">;

/** The requests of people that an earlier engine began and of which nobody knows the end. Each may be repeated. */
export function openRequests({ tickets }: RunState): readonly Started[] {
  return [...vecItems(tickets)].flatMap(({ id: ticket, pullRequest }) => {
    const { number, requests = [] } = pullRequest ?? {};
    return number === undefined ? [] : requests.map((request) => ({ ticket, number, request }));
  });
}

/** Asks the forge what a person wants of it, once: if it is away, the person is told, and may ask again. */
export async function askForge(
  { pullRequests, report, state }: LoopContext,
  { ticket, number, request }: Started,
): Promise<void> {
  const { repo } = plannedTicket(state().plan, ticket);
  const pulls = pullRequests.get(repo)?.pulls;
  const problem = pulls === undefined ? `changes of ${repo} do not land by pull requests` : await asked(pulls, number, request);
  const told = problem === undefined ? {} : { problem: plainText(problem, 300) };
  report({ type: "forge-request-ended", ticket, number, request, ...told });
}

/** Why nothing came of it; undefined if the forge has done it. */
async function asked(pulls: PullRequests, number: number, request: ForgeRequest): Promise<string | undefined> {
  try {
    if (request.kind === "rerun") {
      const started = await pulls.rerun(request.head, request.names);
      return started.length > 0 ? undefined : `${pulls.name} has no failed job behind these checks that it can start again`;
    }
    const answer = await pulls.requestReview(number, request.login);
    return answer.as === "refused" ? answer.reason : undefined;
  } catch (error) {
    if (!(error instanceof ForgeUnavailable)) throw error;
    return error.message;
  }
}
