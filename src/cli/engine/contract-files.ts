import { dirname, join } from "node:path";
import { readContractFile } from "../../adapters/contract/contract-file.ts";
import { isWithin, realPath } from "../../adapters/sandbox/mounts/real-path.ts";
import type { ContractTexts } from "../../domain/batch/named-contracts.ts";
import { type BatchProblem, type Locate, problemAt } from "../../domain/batch/problem.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { localTicketFolder } from "../../domain/batch/tracker-spec.ts";

/** Reads contract files, named from the batch file's folder, which is a real path. */
export async function readContractFiles(paths: readonly string[], folder: string): Promise<ContractTexts> {
  const texts = await Promise.all(paths.map(async (path) => [path, await readContractFile(folder, path)] as const));
  return new Map(texts);
}

/** The absolute paths of a batch's contracts. */
export function contractFilesOf({ tickets }: Pick<Batch, "tickets">, folder: string): readonly string[] {
  return [...new Set(tickets.flatMap(({ contract }) => (contract === undefined ? [] : [join(folder, contract.path)])))];
}

/**
 * Contracts where an agent could write them, or where they would be read as tickets. One in a repository is protected there instead
 * (`ownFilesIn`). `state` is loopdash's state folder.
 */
export function misplacedContracts(
  batch: Batch,
  { folder, state, locate }: { readonly folder: string; readonly state: string; readonly locate: Locate },
): readonly BatchProblem[] {
  const real = (path: string) => realPath(path) ?? path;
  const tickets = localTicketFolder(batch.tracker);
  const written = (batch.sandbox === "off" ? [] : (batch.sandboxPolicy?.write ?? [])).map(real);
  return batch.tickets.flatMap(({ contract }, i) => {
    if (contract === undefined) return [];
    const file = join(folder, contract.path);
    const at = ["tickets", i, "contract"];
    if (tickets !== undefined && real(dirname(file)) === real(tickets))
      return [problemAt(locate, at, "lies among the tickets, and would be one of them", "move it into a folder of its own")];
    if (written.some((place) => isWithin(place, file)))
      return [problemAt(locate, at, "lies where sandboxPolicy.write lets agents write", "move it elsewhere")];
    // A loop's own batch lies there with its contract.
    return isWithin(real(state), file) && !isWithin(real(state), real(folder))
      ? [problemAt(locate, at, "lies in loopdash's state", "move it beside the batch file")]
      : [];
  });
}
