import { basename } from "node:path";
import type { BatchPaths } from "../../adapters/sandbox/named-files.ts";
import { reviewUsd } from "../../domain/batch/reviewer-spec.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { plainText } from "../../domain/values/text.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import { type AgentSurroundings, accountOptions, filesOfAgent } from "./agent-of.ts";

/** The reviewer of a batch, and the files that its program needs to read. A vendor's program is loaded only if the batch names one. */
export async function openReviewer(
  { reviewer: spec, limits }: Pick<Batch, "reviewer" | "limits">,
  agentSurroundings: Omit<AgentSurroundings, "program"> & { readonly program: string | undefined; readonly places: BatchPaths },
): Promise<Pick<LoopContext, "reviewer" | "reviewerFiles">> {
  const { executor, env, program } = agentSurroundings;
  if (spec === undefined || program === undefined) return { reviewerFiles: [] };
  const reviewerFiles = filesOfAgent(spec, program, agentSurroundings.places);
  const { createCommandReviewer, createModelReviewer } = await import("../../adapters/agent/reviewer.ts");
  const usd = reviewUsd(spec, limits);
  if (spec.kind === "command") {
    const name = plainText(basename(spec.command[0] ?? ""), 60);
    const reviewer = createCommandReviewer({ argv: spec.command, name, usdPerQuestion: usd, executor, env });
    return { reviewerFiles, reviewer };
  }
  const accounts = await accountOptions(spec, { ...agentSurroundings, program }, usd, "reviewer");
  return { reviewerFiles, reviewer: createModelReviewer(accounts) };
}
