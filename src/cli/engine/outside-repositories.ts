import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { findHomes } from "../../adapters/sandbox/mounts/homes.ts";
import { isWithin, realPath } from "../../adapters/sandbox/mounts/real-path.ts";
import { type BatchPaths, namedFiles } from "../../adapters/sandbox/named-files.ts";
import { findNamedScript } from "../../domain/batch/commands.ts";
import type { Argv } from "../../domain/batch/prepare-command.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { localTicketFolder, type TrackerProgramSpec } from "../../domain/batch/tracker-spec.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

/**
 * Throws a UserError (exit 4) if the folder of tickets or loopdash's state lies in a repository of the batch. There a change could
 * bring its own tickets, set to done, or the harness of later runs: the checkout of the base follows what lands (law 3).
 */
export function checkOutsideRepositories({ tracker, repos }: Pick<Batch, "tracker" | "repos">, state: string): void {
  const folder = localTicketFolder(tracker);
  const todo = "Move it beside the batch file, and name it in tracker.path.";
  const places = [
    ...(folder === undefined ? [] : [{ what: "the folder of tickets", path: folder, todo }]),
    { what: "loopdash's state", path: state, todo: "Set LOOPDASH_HOME to a folder outside of every repository." },
  ];
  for (const { what, path, todo } of places) {
    const repository = repositoryOf(path, repos);
    if (repository === undefined) continue;
    const why = `${plainText(path, 300)} lies in the repository "${repository}", where changes land that agents wrote`;
    throw new UserError({ what: `${what} cannot be in a repository`, why, todo, exitCode: EXIT.refused });
  }
}

/**
 * Throws a UserError (exit 4) if a file that the tracker's command names lies in a repository of the batch: it runs with the user's
 * rights, decides what is done, and a change could rewrite it. `folder` is where its relative paths start.
 */
export function checkTrackerProgram({ command }: TrackerProgramSpec, repos: Batch["repos"], folder: string): void {
  for (const path of filesIn(command, folder)) {
    const repository = repositoryOf(path, repos);
    if (repository === undefined) continue;
    throw new UserError({
      what: "the program of the tracker cannot be in a repository",
      why: `${plainText(path, 300)} lies in the repository "${repository}", where changes land that agents wrote`,
      todo: 'Move it beside the batch file, and name it as "{batch}/…" in tracker.command.',
      exitCode: EXIT.refused,
    });
  }
}

/** Existing files that a command names, also as the value of an option. */
function filesIn(command: readonly string[], folder: string): readonly string[] {
  const words = command.flatMap((word) => [word, ...(word.startsWith("-") ? [word.slice(word.indexOf("=") + 1)] : [])]);
  return words.map((word) => resolve(folder, word)).filter((path) => existsSync(path));
}

/**
 * The tracker's own files, which no sandbox may open: its folder of tickets, or the files of its program. An interpreter outside of
 * the batch's folder is everybody's.
 */
export function filesOfTracker(tracker: Batch["tracker"], folder: string): readonly string[] {
  const tickets = localTicketFolder(tracker);
  if (tracker.kind !== "command") return tickets === undefined ? [] : [tickets];
  const script = findNamedScript(tracker.command as readonly [string, ...string[]])?.at;
  const scripts = script === undefined ? [] : filesIn(tracker.command.slice(script, script + 1), folder);
  return [
    ...new Set([...scripts, ...filesIn(tracker.command, folder).filter((path) => path !== folder && isWithin(folder, path))]),
  ];
}

/** The name of the repository that holds a path, links followed. A path that does not exist yet is taken as it is written. */
export function repositoryOf(path: string, repos: Batch["repos"]): string | undefined {
  const places = [path, realPath(path) ?? path];
  return Object.entries(repos).find(([, repo]) =>
    places.some((place) => [repo.path, realPath(repo.path) ?? repo.path].some((folder) => isWithin(folder, place))),
  )?.[0];
}

/** The places of a batch: its folder, and what no command of it may be shown because it decides about their work. */
export function pathsOf(
  batch: Pick<Batch, "tracker" | "oracle" | "repos">,
  options: { readonly folder: string; readonly state: string; readonly home: string | undefined },
): BatchPaths {
  const { folder, state, home } = options;
  const tickets = localTicketFolder(batch.tracker);
  const there = (words: Argv) => words.map((word) => (isAbsolute(word) ? word : join(folder, word))).filter(existsSync);
  const oracle = batch.oracle === undefined ? [] : there(batch.oracle.command);
  // An interpreter outside of the batch's folder is everybody's.
  const tracker = batch.tracker.kind === "command" ? there(batch.tracker.command).filter((path) => isWithin(folder, path)) : [];
  return {
    folder,
    hidden: [state, ...(tickets === undefined ? [] : [tickets]), ...oracle, ...tracker],
    repos: Object.values(batch.repos).map(({ path }) => path),
    homes: findHomes(home ?? homedir()),
  };
}

/** Finds the files of the batch's folder that the sandbox of a command shows beside those that the policy opens. */
export function commandFilesIn(places: BatchPaths): (argv: Argv) => readonly string[] {
  return (argv) => namedFiles(argv, places).read;
}
