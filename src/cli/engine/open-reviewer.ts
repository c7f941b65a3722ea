import { basename } from "node:path";
import type { BatchPaths } from "../../adapters/sandbox/named-files.ts";
import { type ReviewerParty, reviewUsd } from "../../domain/batch/party.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { plainText } from "../../domain/values/text.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import type { Reviewer } from "../../ports/reviewer.ts";
import { type AgentSurroundings, accountOptions, filesOfAgent } from "./agent-of.ts";

/** The services and programs that reviewers need besides the batch. */
interface ReviewerSurroundings extends Omit<AgentSurroundings, "program"> {
  /** The path of each reviewer's program. */
  readonly programs: Readonly<Partial<Record<ReviewerParty, string>>>;
  readonly places: BatchPaths;
}

/** The reviewers of a batch, and the files that their programs need to read. A vendor's program is loaded only if the batch names one. */
export async function openReviewers(
  batch: Pick<Batch, ReviewerParty | "limits">,
  surroundings: ReviewerSurroundings,
): Promise<Pick<LoopContext, ReviewerParty | "reviewerFiles">> {
  const [first, second] = await Promise.all([
    openReviewer(batch, "reviewer", surroundings),
    openReviewer(batch, "secondReviewer", surroundings),
  ]);
  return {
    reviewer: first?.reviewer,
    secondReviewer: second?.reviewer,
    reviewerFiles: { reviewer: first?.files ?? [], secondReviewer: second?.files ?? [] },
  };
}

async function openReviewer(
  { limits, ...batch }: Pick<Batch, ReviewerParty | "limits">,
  party: ReviewerParty,
  { programs, places, ...agentSurroundings }: ReviewerSurroundings,
): Promise<{ readonly reviewer: Reviewer; readonly files: readonly string[] } | undefined> {
  const { [party]: spec } = batch;
  const { [party]: program } = programs;
  if (spec === undefined || program === undefined) return undefined;
  const { executor, env } = agentSurroundings;
  const files = filesOfAgent(spec, program, places);
  const { createCommandReviewer, createModelReviewer } = await import("../../adapters/agent/reviewer.ts");
  const usd = reviewUsd(spec, limits);
  if (spec.kind === "command") {
    const name = plainText(basename(spec.command[0] ?? ""), 60);
    return { files, reviewer: createCommandReviewer({ argv: spec.command, name, usdPerQuestion: usd, executor, env }) };
  }
  const accounts = await accountOptions(spec, { ...agentSurroundings, program }, usd, party);
  return { files, reviewer: createModelReviewer(accounts) };
}
