import { join } from "node:path";
import { childEnvironment, mustRun } from "../children.ts";
import { git } from "../repository.ts";
import { type AgentPlan, createSuiteRepository, honestModules, runSuite, type SuiteRepository, ticketIds } from "./repository.ts";

export interface FloorRequest {
  readonly name: string;
  readonly plan: AgentPlan;
  readonly workers: number;
  readonly suiteSeconds: number;
}

/** The cost of the same tickets by a few lines of code that trust every change. */
export interface FloorOutcome {
  readonly runs: number;
  readonly ms: number;
}

/** The parts of a floor: the repository, and the scratch folder around it. */
interface Scene {
  readonly scratch: string;
  readonly repo: SuiteRepository;
  readonly request: FloorRequest;
}

/** The suite's own duration in milliseconds: one run on the base, beside nothing else. */
export async function measureSuite(scratch: string, suiteSeconds: number): Promise<number> {
  const repo = await createSuiteRepository(scratch, { name: "alone", plan: { seconds: Array(6).fill(0) }, suiteSeconds });
  const { code, ms, stdout } = await runSuite(repo, { scratch, checkout: repo.path, report: join(scratch, "alone.tap") });
  if (code !== 0) throw new Error(`the suite fails on its base: ${stdout.slice(-1_000)}`);
  return ms;
}

/**
 * A plain serial merge queue: each agent's change is queued when the agent stops, and a queue of one checks each on the newest main and
 * lands it if the suite passes.
 */
export async function runSerialQueue(scratch: string, request: FloorRequest): Promise<FloorOutcome> {
  return await measure(scratch, request, async (scene) => {
    let queue: Promise<unknown> = Promise.resolve();
    await work(scene, (id) => {
      queue = queue.then(() => checkOnMain(scene, id));
      return Promise.resolve();
    });
    await queue;
  });
}

/** One run per ticket beside each other: each worker checks its own branch, and what passes lands without another run. */
export async function runSideBySide(scratch: string, request: FloorRequest): Promise<FloorOutcome> {
  return await measure(scratch, request, async (scene) => {
    const passed: string[] = [];
    await work(scene, async (id) => {
      const checkout = worktreeOf(scene, id);
      const { code } = await runSuite(scene.repo, { scratch, checkout, report: `${checkout}.tap` });
      if (code === 0) passed.push(id);
    });
    for (const id of passed) await git(scratch, scene.repo.path, "cherry-pick", id);
  });
}

async function measure(scratch: string, request: FloorRequest, play: (scene: Scene) => Promise<void>): Promise<FloorOutcome> {
  const repo = await createSuiteRepository(scratch, request);
  const scene = { scratch, repo, request };
  for (const id of ticketIds(request.plan))
    await git(scratch, repo.path, "worktree", "add", "--quiet", "-b", id, worktreeOf(scene, id));
  const startedAt = performance.now();
  await play(scene);
  const ms = performance.now() - startedAt;
  const landed = (await repo.changedModules()).join(" ");
  const expected = honestModules(request.plan).join(" ");
  if (landed !== expected) throw new Error(`${request.name} landed ${landed}, not ${expected}`);
  return { runs: await repo.countStarts(), ms };
}

/** Runs the agents of all tickets with the workers of the request. A worker goes on when `stopped` is settled. */
async function work(scene: Scene, stopped: (id: string) => Promise<void>): Promise<void> {
  const { repo, request, scratch } = scene;
  const todo = [...ticketIds(request.plan)];
  const worker = async () => {
    for (let id = todo.shift(); id !== undefined; id = todo.shift()) {
      const cwd = worktreeOf(scene, id);
      await mustRun({ argv: repo.agent, cwd, env: childEnvironment(scratch, { LOOPDASH_TICKET: id }) });
      await git(scratch, cwd, "add", "--all");
      await git(scratch, cwd, "commit", "--quiet", "--message", id);
      await stopped(id);
    }
  };
  await Promise.all(Array.from({ length: request.workers }, worker));
}

/** The checkout of main is the only place in which the queue checks. */
async function checkOnMain({ repo, request, scratch }: Scene, id: string): Promise<void> {
  await git(scratch, repo.path, "cherry-pick", id);
  const report = join(scratch, `${request.name}-${id}.tap`);
  const { code } = await runSuite(repo, { scratch, checkout: repo.path, report });
  if (code !== 0) await git(scratch, repo.path, "reset", "--quiet", "--hard", "HEAD~1");
}

function worktreeOf({ request, scratch }: Scene, id: string): string {
  return join(scratch, `${request.name}-${id}`);
}
