import { readFile } from "node:fs/promises";
import { errorMessage } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

/** The bundled oracle's bytes, to be frozen for a run. Throws a UserError if the file is missing or empty. */
export async function loadOracleBytes(file: string): Promise<Uint8Array> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw broken(file, errorMessage(cause), cause);
  });
  if (bytes.length === 0) throw broken(file, "the file is empty");
  return Uint8Array.from(bytes);
}

function broken(file: string, why: string, cause?: unknown): UserError {
  const what = `The oracle ${JSON.stringify(file)} cannot be loaded`;
  return new UserError({ what, why, todo: "Install loopdash again.", exitCode: EXIT.refused, cause });
}
