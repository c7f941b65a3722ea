import { describeApiKeys, findApiKeys, howToAllow } from "../engine/api-key-guard.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { bad, type Finding, ok } from "./finding.ts";

/** Model API keys that would change who pays: a start is refused for them. */
export async function checkApiKeys(env: NodeJS.ProcessEnv, loaded: LoadedBatch | undefined): Promise<readonly Finding[]> {
  const found = await findApiKeys(env, loaded);
  if (found.length > 0) return found.map((key) => bad("stray-keys", describeApiKeys([key]).join(), howToAllow([key])));
  const where = loaded === undefined ? "in the environment" : "in the environment, or in .env files of the batch";
  return [ok("stray-keys", `no model API key ${where}`)];
}
