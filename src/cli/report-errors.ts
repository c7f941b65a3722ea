import { tmpdir } from "node:os";
import { diskProblem, isFull } from "../adapters/disk-error.ts";
import { isWithin } from "../adapters/sandbox/mounts/real-path.ts";
import { GitFailure, GitMissing } from "../adapters/vcs/git/git-call.ts";
import { errorMessage, plainText } from "../domain/values/text.ts";
import { EXIT, type ExitCode, UserError } from "../domain/values/user-error.ts";
import { printDefect, printUserError } from "./print.ts";
import { stateHome } from "./state-home.ts";

/** Runs a command and returns its exit code. An error is printed, and gives one as well. */
export async function reportErrors(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    return printError(error);
  }
}

/** Prints what a person can mend, or a defect, and returns the exit code for it. */
export function printError(error: unknown): ExitCode {
  const known = asUserError(error);
  if (known === undefined) {
    printDefect(error);
    return EXIT.notDone;
  }
  printUserError(known);
  return known.exitCode;
}

/** An error that a person can mend; undefined for a defect of loopdash. */
export function asUserError(error: unknown): UserError | undefined {
  return error instanceof UserError ? error : (missingGit(error) ?? failedGit(error) ?? machineFault(error));
}

const MEND = "Mend what is wrong there, then run the same command again.";

/** What the system or the database refuses is a fault of the machine, and no defect of loopdash, wherever it occurs. */
function machineFault(error: unknown): UserError | undefined {
  const places = [
    { name: "LOOPDASH_HOME", folder: stateHome(process.env, "/").root },
    { name: "TMPDIR", folder: tmpdir() },
  ];
  // The system names no path of a file that is open already, and SQLite names none.
  const path = pathOf(error) ?? places.find(({ folder }) => isFull(folder))?.folder;
  const problem = diskProblem(error, path);
  if (problem === undefined) return undefined;
  const place = path === undefined ? "the system refused an operation" : `it could not use ${plainText(path, 300)}`;
  const setting = places.find(({ folder }) => path !== undefined && isWithin(folder, path))?.name;
  const isNamed = path !== undefined && (setting !== undefined || !problem.todo.includes("LOOPDASH_HOME"));
  return new UserError({
    what: `loopdash had to stop: ${place}`,
    why: path === undefined ? plainText(errorMessage(error), 300) : problem.why,
    todo: isNamed ? problem.todo.replace("LOOPDASH_HOME", setting ?? "") : MEND,
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

const FETCH = "It is a partial clone that lacks files of the base: git fetch --refetch --no-filter";

/** A clone may be in any state: what git says of it is no defect of loopdash. */
function failedGit(error: unknown): UserError | undefined {
  if (!(error instanceof GitFailure)) return undefined;
  const todo = error.message.includes("promisor remote")
    ? FETCH
    : "See what `git status` and `git fsck` say there, and mend it; a partial clone: git fetch --refetch --no-filter";
  const why = plainText(error.message, 500);
  return new UserError({ what: "git cannot work in the repository", why, todo, exitCode: EXIT.refused, cause: error });
}

/** The file that the system names; it names none for a file that is open already. */
function pathOf(error: unknown): string | undefined {
  return error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
}
