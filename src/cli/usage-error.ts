import { EXIT, UserError } from "../domain/values/user-error.ts";

/** An invalid command line (exit 2). */
export function usageError(what: string, why: string, todo: string): UserError {
  return new UserError({ what, why, todo, exitCode: EXIT.usage });
}
