import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { homesOf } from "../../adapters/sandbox/mounts/homes.ts";
import { type BatchPaths, namedFiles } from "../../adapters/sandbox/named-files.ts";
import type { Argv } from "../../domain/batch/argv.ts";
import type { Batch } from "../../domain/batch/schema.ts";

/** The places of a batch: its folder, and what no command of it may be shown because it decides about their work. */
export function pathsOf(
  batch: Pick<Batch, "tracker" | "oracle" | "repos">,
  options: { readonly folder: string; readonly state: string; readonly home: string | undefined },
): BatchPaths {
  const { folder, state, home } = options;
  const oracle = (batch.oracle?.command ?? []).map((word) => (isAbsolute(word) ? word : join(folder, word))).filter(existsSync);
  return {
    folder,
    hidden: [state, ...(batch.tracker.path === undefined ? [] : [batch.tracker.path]), ...oracle],
    repos: Object.values(batch.repos).map(({ path }) => path),
    homes: homesOf(home ?? homedir()),
  };
}

/** What the sandbox of a command shows of the batch's folder, beside what the policy opens anyway. */
export function commandFilesIn(places: BatchPaths): (argv: Argv) => readonly string[] {
  return (argv) => namedFiles(argv, places).read;
}
