import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createBubblewrap } from "../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { findProgram } from "../../src/adapters/sandbox/find-program.ts";
import { openRepo } from "../../src/adapters/vcs/repository/git-repo.ts";
import { RepoId } from "../../src/domain/values/ids.ts";
import type { Sandbox } from "../../src/ports/executor.ts";
import type { Change, Repo } from "../../src/ports/vcs.ts";
import type { MetadataPlace } from "./metadata-place.ts";
import type { Random } from "./random.ts";
import { type Target, type Trial, unfitError } from "./target.ts";
import { UserRepository } from "./user-repository.ts";
import { WorkerView } from "./worker-view.ts";
import { FILE_DEEDS } from "./worktree-files.ts";
import { METADATA_DEEDS } from "./worktree-metadata.ts";

/** What a capture may take. Milliseconds. */
const CAPTURE_MS = 10_000;

function byWeight<T extends { readonly weight: number }>(from: readonly T[], random: Random): T {
  let left = (random.next() / 0x1_0000_0000) * from.reduce((sum, { weight }) => sum + weight, 0);
  for (const each of from) {
    left -= each.weight;
    if (left < 0) return each;
  }
  throw new RangeError("there is nothing to pick from");
}

/** Does what a worker does, in a few steps. Gives their names. */
function work(place: MetadataPlace, random: Random): string[] {
  const names: string[] = [];
  for (let left = random.between(1, 4); left > 0; left--) {
    const deed = random.chance(0.5) ? undefined : byWeight(METADATA_DEEDS, random);
    const inFiles = deed === undefined ? byWeight(FILE_DEEDS, random) : undefined;
    const name = deed?.name ?? inFiles?.name ?? "";
    try {
      deed?.act(place, random);
      inFiles?.act(place.view.worktree, random);
      names.push(name);
    } catch (error) {
      // An earlier step is in the way of this one.
      if (!(error instanceof Error && ("code" in error || "status" in error))) throw error;
      names.push(`(${name})`);
    }
  }
  return names;
}

/** What is wrong with a change that was taken. */
function unfitChange({ paths, tip }: Change): string | undefined {
  if (!/^[0-9a-f]{40}$/.test(tip)) return `its tip is ${tip}`;
  const isOdd = (path: string) =>
    path === "" || path.startsWith("/") || path.split("/").some((part) => ["", ".", "..", ".git"].includes(part.toLowerCase()));
  const odd = paths.find(({ path }) => isOdd(path));
  return odd === undefined ? undefined : `it takes the path ${JSON.stringify(odd.path)}`;
}

async function capture(
  repo: Repo,
  options: Parameters<Repo["capture"]>[0],
): Promise<{ outcome: string; problem: string | undefined }> {
  const begun = performance.now();
  const bounded = { ...options, timeoutMs: CAPTURE_MS };
  const result = await repo.capture(bounded).then(
    (change) => ({ outcome: change.paths.length > 0 ? "change" : "no change", problem: unfitChange(change) }),
    (error: unknown) => ({ outcome: "refused", problem: unfitError(error, 3_000) }),
  );
  const ms = performance.now() - begun;
  return ms <= 3 * CAPTURE_MS ? result : { ...result, problem: `the capture took ${Math.round(ms / 1000)} s` };
}

/** As a run has it. */
function sandboxIn(folder: string): Sandbox {
  const program = findProgram("bwrap", { cwd: "/", path: process.env["PATH"] ?? "/usr/bin" });
  if (program === undefined) throw new Error("there is no bwrap");
  return createBubblewrap({ program, home: join(folder, "home") });
}

async function attempt(random: Random, folder: string, made: (input: string) => void): Promise<Trial> {
  const scratch = join(folder, "scratch");
  mkdirSync(scratch);
  const user = new UserRepository(folder);
  const repo = await openRepo({ id: RepoId.parse("app"), path: user.path, base: "main", scratch, sandbox: sandboxIn(folder) });
  const before = user.state();
  const worktree = { path: join(folder, "worktrees", "T-1"), branch: "loopdash/r/T-1" };
  const from = await repo.baseTip();
  await repo.addWorktree({ ...worktree, from });
  const view = await repo.agentView(worktree);
  const place = {
    view: new WorkerView({ view, worktree: worktree.path }),
    branch: worktree.branch,
    from,
  };
  const input = work(place, random).join(", ");
  made(input);
  const { outcome, problem } = await capture(repo, { ...worktree, from, message: "T-1: work" });
  const beside = user.problemBeside();
  const removal = await repo.removeWorktree({ ...worktree, deleteBranch: true }).then(
    () => undefined,
    (error: unknown) => `the worktree could not be removed: ${error instanceof Error ? error.message : String(error)}`,
  );
  const left = existsSync(worktree.path) ? "the worktree's folder is still there" : undefined;
  if (left !== undefined) chmodSync(worktree.path, 0o700);
  const found = problem ?? beside ?? removal ?? left ?? user.problemAfter(before);
  return { input, outcome, ...(found === undefined ? {} : { problem: found }) };
}

/**
 * Worktrees and what git keeps for them, as a worker left them. What is wrong beside a crash, a hang or memory: an error that is
 * no sentence, or a person's repository that is not as it was.
 */
export const worktrees: Target = {
  name: "worktrees",
  bounds: { ms: 120_000, bytes: 2_500_000_000 },
  outcomes: ["change", "no change", "refused"],
  attempt,
};
