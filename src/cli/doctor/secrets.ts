import type { SecretSpec } from "../../domain/batch/secret-spec.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { SecretUnavailable } from "../../ports/secrets.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { checkSecretPlaces, secretsOf } from "../engine/run-secrets.ts";
import { bad, type CheckResult, ok } from "./check-result.ts";

const FIX = "Run its command yourself, or look at its variable or file; a run waits for it when a step needs it.";

/** Fetches each secret of the batch once, and says whether that works. Nothing of a value is shown. */
export async function checkBatchSecrets({ batch, folder }: LoadedBatch, env: NodeJS.ProcessEnv): Promise<readonly CheckResult[]> {
  const runSecrets = secretsOf(batch, { folder, env });
  if (runSecrets === undefined) return [];
  const places = placesOf(batch, { folder, env });
  const found = await Promise.all(
    Object.entries(batch.secrets ?? {}).map(async ([name, spec]) => {
      try {
        await runSecrets.secrets.get(name);
        return ok("secret", `${name}: ${sourceOf(spec)}`);
      } catch (error) {
        if (!(error instanceof SecretUnavailable)) throw error;
        return bad("secret", error.message, FIX);
      }
    }),
  );
  runSecrets.secrets.forget();
  return [...places, ...found];
}

function placesOf(...options: Parameters<typeof checkSecretPlaces>): readonly CheckResult[] {
  try {
    checkSecretPlaces(...options);
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [bad("secret", `${error.what}: ${error.why}`, error.todo)];
  }
}

function sourceOf({ env, file, command = [] }: SecretSpec): string {
  if (env !== undefined) return `from the variable ${env}`;
  return file === undefined ? `from the command ${command[0] ?? ""}` : `from the file ${file}`;
}
