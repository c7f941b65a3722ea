import { z } from "zod";
import type { ReviewRequest } from "../../../ports/forge.ts";
import { GitHubRefusal, LostAnswer } from "../../github/failures.ts";
import { Anything, type GitHubRepository } from "./repository.ts";

/** Refusals that a person has to read; with any other, GitHub cannot be asked. */
const ANSWERS = new Set([403, 404, 422]);

const Requested = z.object({ users: z.array(z.object({ login: z.string() })) });

/** Requests a review of somebody. GitHub takes the same request twice, and asks once. */
export async function requestReview(repository: GitHubRepository, number: number, login: string): Promise<ReviewRequest> {
  try {
    await repository.write("request the review", Anything, (rest, name) =>
      rest.pulls.requestReviewers({ ...name, pull_number: number, reviewers: [login] }),
    );
    return { as: "requested" };
  } catch (error) {
    if (error instanceof GitHubRefusal && ANSWERS.has(error.status)) return { as: "refused", reason: error.message };
    if (!(error instanceof LostAnswer) || !(await isRequested(repository, number, login))) throw error;
    return { as: "requested" };
  }
}

async function isRequested(repository: GitHubRepository, number: number, login: string): Promise<boolean> {
  const { users } = await repository.read("list the requested reviewers", Requested, (rest, name) =>
    rest.pulls.listRequestedReviewers({ ...name, pull_number: number }),
  );
  return users.some((user) => user.login.toLowerCase() === login.toLowerCase());
}
