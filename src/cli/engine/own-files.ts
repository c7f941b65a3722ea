import { relative, resolve } from "node:path";
import { isWithin, realPath } from "../../adapters/sandbox/mounts/real-path.ts";
import { listBatchCommands } from "../../domain/batch/commands.ts";
import type { Batch } from "../../domain/batch/schema.ts";

/** What stands around paths in a shell's script, and before the value of an option. A quoted path may have spaces. */
const AROUND_PATHS = [/[\s'"`;|&<>(),=]+/, /['"`=]+/];

/**
 * The batch file, its contracts, and the files beside it that commands of the batch, of its oracle and of its tracker name, as protected paths of the repositories
 * that hold them. In a repository, a change could otherwise bring another live check, reviewer or oracle, or the batch of the next
 * run. `file` and `folder` are real paths.
 */
export function ownFilesIn(
  batch: Batch,
  { file, folder, contracts }: { readonly file: string; readonly folder: string; readonly contracts: readonly string[] },
): readonly string[] {
  const words = listBatchCommands(batch).flatMap(({ argv }) =>
    argv.flatMap((word) => [word, ...AROUND_PATHS.flatMap((around) => word.split(around))]),
  );
  const ofTracker = batch.tracker.kind === "command" ? batch.tracker.command : [];
  const judging = [...(batch.oracle?.command ?? []), ...ofTracker].map((word) => resolve(folder, word));
  const own = [file, ...contracts, ...[...words, ...judging].filter((word) => word !== folder && isWithin(folder, word))];
  const found = Object.values(batch.repos).flatMap(({ path }) => {
    const top = realPath(path) ?? path;
    return own.filter((each) => each !== top && isWithin(top, each)).map((each) => `./${literal(relative(top, each))}`);
  });
  return [...new Set(found)];
}

/** A glob that means exactly this path. */
function literal(path: string): string {
  return path.replaceAll(/[\\$^*+?(){}|[\]!@#,"']/g, "\\$&");
}
