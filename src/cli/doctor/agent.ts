import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { findAgent } from "../engine/agent-of.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { bad, type Finding, ok } from "./finding.ts";

/** The program that works the batch's tickets. It is looked for and not started: what it does is its own. */
export async function checkAgent(loaded: LoadedBatch, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  try {
    return [
      ok("agent", await findAgent(loaded.batch.agent, { folder: loaded.folder, path: allowedEnvironment(env, {}).PATH ?? "" })),
    ];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [bad("agent", `${error.what}: ${error.why}`, error.todo)];
  }
}
