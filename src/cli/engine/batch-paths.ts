import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { homesOf } from "../../adapters/sandbox/mounts/homes.ts";
import { isWithin } from "../../adapters/sandbox/mounts/real-path.ts";
import { type BatchPaths, namedFiles } from "../../adapters/sandbox/named-files.ts";
import type { Argv } from "../../domain/batch/prepare-command.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { ticketFolderOf } from "../../domain/batch/tracker-spec.ts";

/** The places of a batch: its folder, and what no command of it may be shown because it decides about their work. */
export function pathsOf(
  batch: Pick<Batch, "tracker" | "oracle" | "repos">,
  options: { readonly folder: string; readonly state: string; readonly home: string | undefined },
): BatchPaths {
  const { folder, state, home } = options;
  const tickets = ticketFolderOf(batch.tracker);
  const there = (words: Argv) => words.map((word) => (isAbsolute(word) ? word : join(folder, word))).filter(existsSync);
  const oracle = batch.oracle === undefined ? [] : there(batch.oracle.command);
  // An interpreter outside of the batch's folder is everybody's.
  const tracker = batch.tracker.kind === "command" ? there(batch.tracker.command).filter((path) => isWithin(folder, path)) : [];
  return {
    folder,
    hidden: [state, ...(tickets === undefined ? [] : [tickets]), ...oracle, ...tracker],
    repos: Object.values(batch.repos).map(({ path }) => path),
    homes: homesOf(home ?? homedir()),
  };
}

/** What the sandbox of a command shows of the batch's folder, beside what the policy opens anyway. */
export function commandFilesIn(places: BatchPaths): (argv: Argv) => readonly string[] {
  return (argv) => namedFiles(argv, places).read;
}
