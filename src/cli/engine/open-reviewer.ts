import { basename } from "node:path";
import type { BatchPaths } from "../../adapters/sandbox/named-files.ts";
import type { Reader } from "../../domain/batch/party.ts";
import { reviewUsd } from "../../domain/batch/reviewer-spec.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { plainText } from "../../domain/values/text.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import type { Reviewer } from "../../ports/reviewer.ts";
import { type AgentSurroundings, accountOptions, filesOfAgent } from "./agent-of.ts";

/** What reviewers need besides the batch. */
interface ReviewerSurroundings extends Omit<AgentSurroundings, "program"> {
  /** The path of each reviewer's program. */
  readonly programs: Readonly<Partial<Record<Reader, string>>>;
  readonly places: BatchPaths;
}

/** The reviewers of a batch, and the files that their programs need to read. A vendor's program is loaded only if the batch names one. */
export async function openReviewers(
  batch: Pick<Batch, Reader | "limits">,
  surroundings: ReviewerSurroundings,
): Promise<Pick<LoopContext, Reader | "reviewerFiles">> {
  const [first, second] = await Promise.all([
    openReviewer(batch, "reviewer", surroundings),
    openReviewer(batch, "secondReviewer", surroundings),
  ]);
  return {
    ...(first && { reviewer: first.reviewer }),
    ...(second && { secondReviewer: second.reviewer }),
    reviewerFiles: { reviewer: first?.files ?? [], secondReviewer: second?.files ?? [] },
  };
}

async function openReviewer(
  { limits, ...batch }: Pick<Batch, Reader | "limits">,
  reader: Reader,
  { programs, places, ...agentSurroundings }: ReviewerSurroundings,
): Promise<{ readonly reviewer: Reviewer; readonly files: readonly string[] } | undefined> {
  const { [reader]: spec } = batch;
  const { [reader]: program } = programs;
  if (spec === undefined || program === undefined) return undefined;
  const { executor, env } = agentSurroundings;
  const files = filesOfAgent(spec, program, places);
  const { createCommandReviewer, createModelReviewer } = await import("../../adapters/agent/reviewer.ts");
  const usd = reviewUsd(spec, limits);
  if (spec.kind === "command") {
    const name = plainText(basename(spec.command[0] ?? ""), 60);
    return { files, reviewer: createCommandReviewer({ argv: spec.command, name, usdPerQuestion: usd, executor, env }) };
  }
  const accounts = await accountOptions(spec, { ...agentSurroundings, program }, usd, reader);
  return { files, reviewer: createModelReviewer(accounts) };
}
