import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { shellWord } from "@loopdash/values";
import { createLocks } from "../../adapters/locks/sqlite-locks.ts";
import { removeFolder } from "../../adapters/remove-folder.ts";
import { mustGit } from "../../adapters/vcs/git/run-git.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { REHEARSAL } from "../../domain/results/next-steps.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RepoId } from "../../domain/values/ids.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { vecAt } from "../../domain/values/vec.ts";
import { prepareStateHome, type StateHome } from "../state-home.ts";
import { batchLock } from "./engine-locks.ts";
import type { LoadedBatch } from "./load-batch.ts";

/**
 * Prepares the batch of a rehearsal: one ticket, one attempt, and a copy of the ticket's repository, in which the change lands. A
 * rehearsal moves no person's branch, writes to no tracker or forge, and runs no live check. Throws a UserError for a ticket that the
 * batch does not have (exit 2), and if the repository cannot be copied or is being rehearsed (exit 4).
 */
export async function prepareRehearsal(loaded: LoadedBatch, only: string, home: StateHome): Promise<LoadedBatch> {
  const { batch, folder, path, outside: _, ...rest } = loaded;
  const ticket = batch.tickets.find(({ id }) => id === only);
  const spec = ticket && batch.repos[ticket.repo];
  if (ticket === undefined || spec === undefined) throw noSuchTicket(only);
  // It is no run of the batch file, which goes on by itself.
  const own = join(folder, `${basename(path)}${REHEARSAL}`);
  prepareStateHome(home);
  if (createLocks(home.locks).isHeld(batchLock(own))) throw alreadyRehearsed();
  const place = join(home.root, "rehearsals", createHash("sha256").update(own).digest("hex").slice(0, 12), ticket.repo);
  await copyBase(spec, place);
  const { forge: __, ...repo } = spec;
  const finish = ticket.finish.filter(({ step }) => step !== "verify");
  const rehearsed: Batch = {
    ...batch,
    name: `${batch.name} rehearsal`,
    tracker: { kind: "local" },
    repos: { [ticket.repo]: { ...repo, path: place } },
    limits: { ...batch.limits, workers: 1, attempts: 1, heals: 0, discoveries: 0 },
    tickets: [{ ...ticket, finish, dependsOn: [] }],
  };
  return { ...rest, batch: rehearsed, folder, path: own, standings: new Map() };
}

/** Makes a bare repository with the base branch alone, in place of that of the last rehearsal. Throws a UserError (exit 4). */
export async function copyBase({ base, path }: Batch["repos"][RepoId], place: string): Promise<void> {
  await removeFolder(place);
  await mkdir(place, { recursive: true, mode: 0o700 });
  const branch = `refs/heads/${base}`;
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--update-shallow", path, `+${branch}:${branch}`];
  try {
    await mustGit(place, { args: ["init", "--quiet", "--bare", `--initial-branch=${base}`, place], gitDir: place });
    await mustGit(place, { args: fetch, gitDir: place, remote: { protocol: "file", env: {} } });
  } catch (cause) {
    const todo = "A rehearsal needs a whole clone with the base as a local branch, and room for a copy of it.";
    const why = plainText(errorMessage(cause), 300);
    throw new UserError({
      what: `cannot copy ${plainText(path, 300)} for a rehearsal`,
      why,
      todo,
      exitCode: EXIT.refused,
      cause,
    });
  }
}

function alreadyRehearsed(): UserError {
  return new UserError({
    what: "this batch is being rehearsed already",
    why: "a rehearsal that works in the same copy has not ended",
    todo: "Wait for it, or stop it with Ctrl-C.",
    exitCode: EXIT.refused,
  });
}

/** Names the commit that a rehearsal would have landed, in lines to print after its summary. */
export function rehearsalLines({ batch, tickets }: RunState): string {
  const [repo, spec] = Object.entries(batch.repos)[0] ?? ["", undefined];
  const { mergedSha } = vecAt(tickets, 0);
  const nothing = `rehearsal: nothing has landed in ${repo}, and no tracker or forge was told.`;
  if (mergedSha === undefined || spec === undefined) return `${nothing} Nothing would have.\n`;
  return `${nothing} This would have:\n  git -C ${shellWord(spec.path)} show ${mergedSha.slice(0, 12)}\n`;
}

function noSuchTicket(only: string): UserError {
  return new UserError({
    what: `there is no ticket ${plainText(only, 80)} to rehearse`,
    why: "the batch does not have it, or its tracker holds it settled",
    todo: "`loopdash <batch> --dry-run` lists the tickets.",
    exitCode: EXIT.usage,
  });
}
