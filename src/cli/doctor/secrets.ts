import { SecretUnavailable } from "@loopdash/model-gateway";
import type { SecretSpec } from "../../domain/batch/secret-spec.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { secretProblems, secretsOf } from "../engine/run-secrets.ts";
import { bad, type CheckResult, ok } from "./check-result.ts";

/**
 * Fetches each secret of the batch once, and says whether that works. Nothing of a value is shown. If a start would refuse their
 * sources, fetches none, and gives all the reasons.
 */
export async function checkBatchSecrets({ batch, folder }: LoadedBatch, env: NodeJS.ProcessEnv): Promise<readonly CheckResult[]> {
  const runSecrets = secretsOf(batch, { folder, env });
  if (runSecrets === undefined) return [];
  const refused = secretProblems(batch, { folder, env });
  if (refused.length > 0) return refused.map(({ what, why, todo }) => bad("secret", `${what}: ${why}`, todo));
  const found = await Promise.all(
    Object.entries(batch.secrets ?? {}).map(async ([name, spec]) => {
      try {
        await runSecrets.secrets.get(name);
        return ok("secret", `${name}: ${sourceOf(spec)}`);
      } catch (error) {
        if (!(error instanceof SecretUnavailable)) throw error;
        return bad("secret", error.message, fixOf(spec));
      }
    }),
  );
  runSecrets.secrets.forget();
  return found;
}

function fixOf({ env, file }: SecretSpec): string {
  const look = env !== undefined ? "Look at its variable" : file !== undefined ? "Look at its file" : "Run its command yourself";
  return `${look}; a run waits for it when a step needs it.`;
}

function sourceOf({ env, file, command = [] }: SecretSpec): string {
  if (env !== undefined) return `from the variable ${env}`;
  return file === undefined ? `from the command ${command[0] ?? ""}` : `from the file ${file}`;
}
