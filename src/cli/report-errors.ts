import { diskProblem, SQLITE, sqliteCode, systemCode } from "../adapters/disk-error.ts";
import { GitFailure, GitMissing } from "../adapters/vcs/git/git-call.ts";
import { plainText } from "../domain/values/text.ts";
import { EXIT, UserError } from "../domain/values/user-error.ts";
import { printDefect, printUserError } from "./print.ts";
import { stateHome } from "./state-home.ts";

/** Runs a command and returns its exit code. An error is printed, and gives one as well. */
export async function reportErrors(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UserError) {
      printUserError(error);
      return error.exitCode;
    }
    const known = fullDisk(error) ?? missingGit(error) ?? failedGit(error);
    if (known !== undefined) {
      printUserError(known);
      return known.exitCode;
    }
    printDefect(error);
    return EXIT.notDone;
  }
}

/** A full disk is not a defect of loopdash, wherever it occurs. */
function fullDisk(error: unknown): UserError | undefined {
  if (!["ENOSPC", "EDQUOT"].includes(systemCode(error) ?? "") && sqliteCode(error) !== SQLITE.full) return undefined;
  const problem = diskProblem(error);
  if (problem === undefined) return undefined;
  const place = plainText(pathOf(error) ?? stateHome(process.env, process.cwd()).root, 300);
  return new UserError({
    what: `loopdash had to stop: it could not write ${place}`,
    ...problem,
    exitCode: EXIT.notDone,
    cause: error,
  });
}

function missingGit(error: unknown): UserError | undefined {
  if (!(error instanceof GitMissing)) return undefined;
  const todo = "Install git and see that it comes first on PATH; loopdash doctor says which version is needed.";
  return new UserError({
    what: "there is no git",
    why: "no folder of PATH has a program git",
    todo,
    exitCode: EXIT.refused,
    cause: error,
  });
}

/** A clone may be in any state: what git says of it is no defect of loopdash. */
function failedGit(error: unknown): UserError | undefined {
  if (!(error instanceof GitFailure)) return undefined;
  const todo = "See what `git status` and `git fsck` say there, and mend it.";
  const why = plainText(error.message, 500);
  return new UserError({ what: "git cannot work in the repository", why, todo, exitCode: EXIT.refused, cause: error });
}

/** The file that the system names; it names none for a file that is open already. */
function pathOf(error: unknown): string | undefined {
  return error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
}
