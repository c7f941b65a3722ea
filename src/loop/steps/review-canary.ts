import { join } from "node:path";
import type { ReviewerParty } from "../../domain/batch/party.ts";
import { showDiff } from "../../domain/review/diff.ts";
import { canaryDue, type Plant, plantDefect, sawPlant, withPlant } from "../../domain/review/plant.ts";
import type { Review } from "../../domain/review/review.ts";
import { countsOf } from "../../domain/run/reviewer-counts.ts";
import { ticketOf } from "../../domain/run/state.ts";
import { questionCap } from "../../domain/schedule/money.ts";
import type { Repo } from "../../ports/vcs.ts";
import { type Ask, askReviewer, type QuestionContext, type QuestionScope } from "../questions/ask.ts";
import { type AboutChange, DIFF_CHARS, renderQuestion } from "../questions/question-prompt.ts";
import type { CandidateDiff } from "./candidate-diff.ts";

/**
 * Sometimes asks a reviewer about the same change with a planted defect, and records whether it saw it. Neither its answer nor
 * a missing answer decides anything about the ticket. A change that has no place for a defect leaves its turn to the next; so
 * does one whose own review could then not be paid.
 */
export async function askCanary(
  ctx: QuestionContext,
  scope: QuestionScope,
  repo: Repo,
  options: {
    readonly ask: Omit<Ask<Review>, "prompt"> & { readonly party: ReviewerParty };
    readonly about: AboutChange;
    readonly diff: CandidateDiff;
  },
): Promise<void> {
  const state = ctx.state();
  const { party } = options.ask;
  if (!canaryDue(countsOf(state, party), ctx.batch[party]?.canaryEvery ?? 0)) return;
  // The question about the change itself must still be affordable afterwards.
  const both = 2 * (ctx[party]?.reserveUsd ?? 0);
  if (questionCap(state, ticketOf(state, scope.ticket.id), both) !== undefined) return;
  const planted = plantDefect(options.diff.files);
  const text = planted === undefined ? undefined : await plantedText(repo, options, planted.plant);
  if (planted === undefined || text === undefined) return;
  const { plant } = planted;
  const shown = showDiff(planted.files, DIFF_CHARS);
  if (!shown.text.includes(`\n+${plant.is}\n`)) return;
  const about = { ...options.about, diff: shown.text };
  await askReviewer(ctx, scope, repo, {
    ...options.ask,
    prompt: ({ ticket, ...by }) => renderQuestion(ctx.templates.reviewer, { ...about, ticket }, by),
    plant: (checkout) => ctx.files.write(join(checkout, plant.path), text),
    canary: (review) => (sawPlant(review, plant) ? "seen" : "missed"),
  });
}

/** The file with the defect; undefined if it is no plain file, or not the one that the diff shows. */
async function plantedText(
  repo: Repo,
  { about, diff }: { readonly about: AboutChange; readonly diff: CandidateDiff },
  plant: Plant,
): Promise<string | undefined> {
  const changed = diff.paths.find(({ path, how }) => path === plant.path && how !== "deleted");
  if (changed?.mode !== "file" && changed?.mode !== "executable") return undefined;
  const text = await repo.readFile({ commit: about.commit, path: plant.path });
  return text === undefined ? undefined : withPlant(text, plant);
}
