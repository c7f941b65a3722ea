import { newId } from "../state.ts";
import { type Host, liveForge } from "./host.ts";
import type { CiEvent, Conclusion, Job, SeedJob, WorkflowRun } from "./model.ts";
import { concluded, lost, type Outcome } from "./outcome.ts";
import { runJob } from "./run-job.ts";
import { workflowJobs } from "./workflows.ts";

/** Jobs that run at the same time. */
const RUNNERS = 2;

const DEFAULT_WORKFLOW = "CI";

/** A moment in a job's life. It goes on when the gate's promise does. */
export interface JobMoment extends JobRun {
  /** Before its check appears, before it starts, and before its result is shown. */
  readonly stage: "register" | "start" | "finish";
}

/** One run of a job. */
export interface JobRun {
  readonly repo: string;
  readonly job: string;
  readonly sha: string;
  readonly attempt: number;
  readonly event: CiEvent;
}

/** A commit to check. */
export interface CiPlan {
  readonly sha: string;
  readonly branch: string;
  readonly event: CiEvent;
}

interface Launch extends CiPlan {
  readonly repo: string;
  readonly seed: SeedJob;
  readonly attempt: number;
  /** Jobs of its workflow that appear after others. */
  readonly later: readonly string[];
}

/** Runs the jobs of pushed commits, each in a checkout of its tree. */
export class Ci {
  /** Holds jobs back: a job goes on when the promise resolves. One that never resolves is a check that never appears, or never ends. */
  gate: (moment: JobMoment) => Promise<void> | undefined = () => undefined;
  /** Variables that the machine adds to what a job's command gets. */
  machine: (run: JobRun) => Readonly<Record<string, string>> = () => ({});
  /** By the id of the job. */
  readonly logs = new Map<number, string>();
  /** Files of artifacts, by the artifact's id. */
  readonly files = new Map<number, Readonly<Record<string, Buffer>>>();
  readonly #host: Host;
  readonly #stops = new Map<string, AbortController>();
  readonly #running = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<Conclusion>>();
  #free = RUNNERS;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Starts the jobs of a commit, unless they were started before for the same event. */
  start(repo: string, plan: CiPlan): void {
    const key = keyOf(repo, plan);
    if (this.#stops.has(key)) return;
    this.#stops.set(key, new AbortController());
    this.#launchEach({ ...plan, repo, attempt: 1 }, (seed) => seed.on?.includes(plan.event) ?? plan.event !== "push");
  }

  /** Runs jobs of a run again. The caller has seen that the run is over. */
  rerun(repo: string, run: WorkflowRun, names: readonly string[]): void {
    this.#host.remember();
    run.attempt += 1;
    const key = keyOf(repo, run);
    if (this.#stops.get(key)?.signal.aborted ?? true) this.#stops.set(key, new AbortController());
    const { sha, branch, event, attempt } = run;
    const isMeant = (seed: SeedJob) => names.includes(seed.name) && (seed.workflow ?? DEFAULT_WORKFLOW) === run.workflow;
    this.#launchEach({ sha, branch, event, repo, attempt }, isMeant);
  }

  /** Ends the jobs of a commit, which are then cancelled. */
  cancel(repo: string, plan: CiPlan): void {
    this.#stops.get(keyOf(repo, plan))?.abort();
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.values()) stop.abort();
    await Promise.all(this.#running);
  }

  /** Launches the jobs that are meant: those of the seed, and those of the tree's own workflow files if the repository has any. */
  #launchEach(launch: Omit<Launch, "seed" | "later">, isMeant: (seed: SeedJob) => boolean): void {
    const { forge, folder } = liveForge(this.#host, launch.repo);
    const each = (seeds: readonly SeedJob[]) => {
      const meant = seeds.filter(isMeant);
      for (const seed of meant) {
        const later = meant.flatMap(({ name, needs, workflow }) =>
          needs !== undefined && workflow === seed.workflow ? [name] : [],
        );
        this.#track(launch, (signal) => this.#run({ ...launch, seed, later }, signal));
      }
    };
    each(forge.jobs);
    if (forge.readsWorkflows) this.#track(launch, async () => each(await workflowJobs(folder, launch.sha)));
  }

  #track(launch: Omit<Launch, "seed" | "later">, begin: (signal: AbortSignal) => Promise<void>): void {
    const signal = this.#stops.get(keyOf(launch.repo, launch))?.signal ?? AbortSignal.abort();
    const work = begin(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#host.mistake(error);
    });
    this.#running.add(work);
    work.finally(() => this.#running.delete(work)).catch(this.#host.mistake);
  }

  async #run(launch: Launch, signal: AbortSignal): Promise<void> {
    const needed = await this.#needed(launch, signal);
    await this.#pass("register", launch, signal);
    const job = this.#register(launch);
    if (needed !== undefined && needed !== "success")
      return this.#complete(launch, job, { conclusion: "skipped", log: [], annotations: [], reports: {} });
    try {
      await this.#pass("start", launch, signal);
      await this.#runner(signal);
      let outcome: Outcome;
      try {
        this.#change(() => Object.assign(job, { status: "in_progress", startedAt: this.#host.now() }));
        outcome = await this.#outcome(launch, job, signal);
      } finally {
        this.#free += 1;
        this.#waiting.shift()?.();
      }
      await this.#pass("finish", launch, signal);
      this.#complete(launch, job, outcome);
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#complete(launch, job, { conclusion: "cancelled", log: [], annotations: [], reports: {} });
    }
  }

  /** The conclusion of the job that this one needs; undefined if it needs none, or is started again. */
  async #needed(launch: Launch, signal: AbortSignal): Promise<Conclusion | undefined> {
    const { needs } = launch.seed;
    if (needs === undefined || launch.attempt > 1) return undefined;
    const over = this.#over(launch, needs).promise;
    await Promise.race([over, aborted(signal)]);
    signal.throwIfAborted();
    return over;
  }

  /** The end of a job of the same workflow. */
  #over({ repo, sha, event, seed }: Launch, name: string): PromiseWithResolvers<Conclusion> {
    const key = JSON.stringify([repo, sha, event, seed.workflow, name]);
    const over = this.#ends.get(key) ?? Promise.withResolvers<Conclusion>();
    this.#ends.set(key, over);
    return over;
  }

  /** Waits for the gate, and never within the request that started it all. */
  async #pass(stage: JobMoment["stage"], { repo, seed, sha, attempt, event }: Launch, signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const held = this.gate({ stage, repo, job: seed.name, sha, attempt, event });
    if (held !== undefined) await Promise.race([held, aborted(signal)]);
    signal.throwIfAborted();
  }

  async #runner(signal: AbortSignal): Promise<void> {
    while (this.#free === 0) await Promise.race([new Promise<void>((resolve) => this.#waiting.push(resolve)), aborted(signal)]);
    signal.throwIfAborted();
    this.#free -= 1;
  }

  #register({ repo, seed, sha, branch, event, attempt, later }: Launch): Job {
    const { state, now } = this.#host;
    const workflow = seed.workflow ?? DEFAULT_WORKFLOW;
    this.#host.remember();
    const { forge } = liveForge(this.#host, repo);
    let run = forge.runs.find((each) => each.sha === sha && each.event === event && each.workflow === workflow);
    if (run === undefined) {
      const number = forge.runs.filter((each) => each.workflow === workflow).length + 1;
      const times = { createdAt: now(), updatedAt: now() };
      run = { id: newId(state()), number, workflow, event, branch, sha, attempt, ...times, awaited: [...later] };
      forge.runs.push(run);
    }
    run.awaited = run.awaited.filter((name) => name !== seed.name);
    const job: Job = {
      id: newId(state()),
      runId: run.id,
      name: seed.name,
      sha,
      attempt,
      status: "queued",
      conclusion: null,
      createdAt: now(),
      startedAt: null,
      completedAt: null,
      annotations: [],
    };
    forge.ciJobs.push(job);
    this.#host.changed();
    return job;
  }

  async #outcome({ repo, seed, sha, branch, event, attempt }: Launch, job: Job, signal: AbortSignal): Promise<Outcome> {
    const { infrastructure } = seed;
    if (infrastructure !== undefined && attempt <= infrastructure.attempts) {
      const { commits = Number.POSITIVE_INFINITY, how } = infrastructure;
      const { ciJobs } = liveForge(this.#host, repo).forge;
      const shas = new Set(ciJobs.filter(({ name }) => name === seed.name).map((each) => each.sha));
      if (shas.size <= commits) return lost(how);
    }
    const result = await runJob({
      repository: liveForge(this.#host, repo).folder,
      sha,
      command: seed.command,
      timeoutMs: seed.timeoutMs,
      signal,
      env: {
        CI: "true",
        GITHUB_ACTIONS: "true",
        GITHUB_EVENT_NAME: event,
        GITHUB_JOB: seed.name,
        GITHUB_REF: `refs/heads/${branch}`,
        GITHUB_REPOSITORY: repo,
        GITHUB_RUN_ATTEMPT: String(attempt),
        GITHUB_RUN_ID: String(job.runId),
        GITHUB_SHA: sha,
        ...this.machine({ repo, job: seed.name, sha, attempt, event }),
      },
    });
    signal.throwIfAborted();
    return concluded(seed, attempt, result);
  }

  #complete(launch: Launch, job: Job, { conclusion, log, annotations, reports }: Outcome): void {
    const { state, now } = this.#host;
    const stamp = new Date(now()).toISOString().replace("Z", "0000Z");
    this.logs.set(job.id, log.map((line) => `${stamp} ${line}\n`).join(""));
    this.#change(() => {
      Object.assign(job, { status: "completed", conclusion, completedAt: now(), annotations });
      const { forge } = liveForge(this.#host, launch.repo);
      const run = forge.runs.find(({ id }) => id === job.runId);
      if (run !== undefined) run.updatedAt = now();
      if (Object.keys(reports).length === 0) return;
      const size = Object.values(reports).reduce((sum, { length }) => sum + length, 0);
      const artifact = { id: newId(state()), runId: job.runId, name: `${job.name}-reports`, size, createdAt: now() };
      forge.artifacts.push(artifact);
      this.files.set(artifact.id, reports);
    });
    if (conclusion !== null) this.#over(launch, launch.seed.name).resolve(conclusion);
  }

  #change(change: () => void): void {
    this.#host.remember();
    change();
    this.#host.changed();
  }
}

function keyOf(repo: string, { sha, event }: { readonly sha: string; readonly event: CiEvent }): string {
  return `${repo} ${sha} ${event}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
