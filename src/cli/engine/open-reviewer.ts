import { basename } from "node:path";
import { reviewUsd } from "../../domain/batch/reviewer-spec.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { plainText } from "../../domain/values/text.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import { type AgentSurroundings, filesOfAgent, modelOptions } from "./agent-of.ts";

/** The second model of a batch, and the files that its program needs to read. A vendor's program is loaded only where there is one. */
export async function openReviewer(
  { reviewer, limits }: Pick<Batch, "reviewer" | "limits">,
  agentSurroundings: Omit<AgentSurroundings, "program"> & { readonly program: string | undefined },
): Promise<Pick<LoopContext, "secondModel" | "reviewerFiles">> {
  const { executor, env, program } = agentSurroundings;
  if (reviewer === undefined || program === undefined) return { reviewerFiles: [] };
  const reviewerFiles = filesOfAgent(reviewer, program);
  const { createCommandReviewer, createModelReviewer } = await import("../../adapters/agent/reviewer.ts");
  const usd = reviewUsd(reviewer, limits);
  if (reviewer.kind === "command") {
    const name = plainText(basename(reviewer.command[0] ?? ""), 60);
    const secondModel = createCommandReviewer({ argv: reviewer.command, name, usdPerQuestion: usd, executor, env });
    return { reviewerFiles, secondModel };
  }
  const options = await modelOptions(reviewer, agentSurroundings, usd, "reviewer");
  return { reviewerFiles, secondModel: createModelReviewer({ ...options, program, executor, env }) };
}
