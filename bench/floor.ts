import { join } from "node:path";
import { childEnvironment, mustRun } from "./children.ts";
import { git } from "./repository.ts";

export interface FloorRequest {
  readonly scratch: string;
  readonly repo: string;
  readonly agent: readonly [string, ...string[]];
  readonly workers: number;
  readonly tickets: readonly string[];
}

/**
 * The bare floor, in a small process of its own: the cost of starting a program grows with the memory of its parent, and the
 * floor must not include the benchmark's. Returns milliseconds, without the start of that process.
 */
export async function runFloor(request: FloorRequest): Promise<number> {
  const argv = ["node", import.meta.filename, JSON.stringify(request)] as const;
  return Number(await mustRun({ argv: [...argv], cwd: request.scratch, env: childEnvironment(request.scratch) }));
}

/**
 * The minimum that any harness must spawn for these tickets, at the same concurrency. Worktrees are added and removed one at a
 * time, because git's own bookkeeping does not allow two at once; landing is serialised. Returns milliseconds.
 */
async function playFloor(request: FloorRequest): Promise<number> {
  const startedAt = performance.now();
  const todo = [...request.tickets];
  const admin = oneAtATime();
  const landing = oneAtATime();
  const worker = async () => {
    for (let id = todo.shift(); id !== undefined; id = todo.shift()) await runTicket(request, id, admin, landing);
  };
  await Promise.all(Array.from({ length: request.workers }, worker));
  return performance.now() - startedAt;
}

async function runTicket(request: FloorRequest, id: string, admin: Queue, landing: Queue): Promise<void> {
  const { scratch, repo } = request;
  const path = join(scratch, "floor-worktrees", id);
  const branch = `floor/${id}`;
  const base = await git(scratch, repo, "rev-parse", "refs/heads/main");
  await admin(() => git(scratch, repo, "worktree", "add", "--quiet", "-b", branch, path, base));
  await mustRun({ argv: request.agent, cwd: path, env: childEnvironment(scratch, { LOOPDASH_TICKET: id }) });
  const tip = await git(scratch, path, "rev-parse", "HEAD");
  await git(scratch, repo, "diff-tree", "-r", "--numstat", base, tip);
  await landing(() => land(request, id, base, tip));
  await admin(async () => {
    await git(scratch, repo, "worktree", "remove", "--force", path);
    await git(scratch, repo, "branch", "--quiet", "-D", branch);
  });
}

async function land({ scratch, repo }: FloorRequest, id: string, base: string, tip: string): Promise<void> {
  const now = await git(scratch, repo, "rev-parse", "refs/heads/main");
  const tree = now === base ? `${tip}^{tree}` : await git(scratch, repo, "merge-tree", "--write-tree", now, tip);
  const commit = await git(scratch, repo, "commit-tree", tree, "-p", now, "-m", id);
  await git(scratch, repo, "update-ref", "refs/heads/main", commit, now);
  await git(scratch, repo, "read-tree", "-m", "-u", now, commit);
}

type Queue = <T>(job: () => Promise<T>) => Promise<T>;

/** Runs jobs in order, one after the other. */
function oneAtATime(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (job) => {
    const next = last.then(job);
    last = next;
    return next;
  };
}

if (import.meta.main) console.log(await playFloor(JSON.parse(process.argv[2] ?? "")));
