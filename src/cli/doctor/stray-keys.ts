import type { LoadedBatch } from "../engine/load-batch.ts";
import { describeStrayKeys, findStrayKeys, howToAllow } from "../engine/stray-keys.ts";
import { bad, type Finding, ok } from "./finding.ts";

/** Model API keys that would change who pays: a start is refused for them. */
export async function checkStrayKeys(env: NodeJS.ProcessEnv, loaded: LoadedBatch | undefined): Promise<readonly Finding[]> {
  const found = await findStrayKeys(env, loaded);
  if (found.length > 0) return found.map((key) => bad("stray-keys", describeStrayKeys([key]).join(), howToAllow([key])));
  const where = loaded === undefined ? "in the environment" : "in the environment, or in .env files of the batch";
  return [ok("stray-keys", `no model API key ${where}`)];
}
