import type { Batch } from "../../domain/batch/schema.ts";
import type { LoopContext } from "../../loop/context.ts";
import type { AgentSurroundings } from "./agent-of.ts";

/** The second model of a batch, and the files that its program needs to read. */
export function secondModelOf(
  _batch: Pick<Batch, "reviewer" | "limits">,
  _of: Omit<AgentSurroundings, "program"> & { readonly program: string | undefined },
): Promise<Pick<LoopContext, "secondModel" | "reviewerFiles">> {
  return Promise.resolve({ reviewerFiles: [] });
}
