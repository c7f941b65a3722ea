import { fork } from "node:child_process";
import { join } from "node:path";
import type { Outcome } from "./play.ts";
import { SERVICES, type ServiceName } from "./service-side.ts";

/** Runs to play, half of them on each service. */
export interface CampaignOptions {
  readonly runs: number;
  /** The first seed; default 1. */
  readonly first?: number;
  /** The services; default: both. */
  readonly services?: readonly ServiceName[];
  /** Processes that play at the same time; default 1. */
  readonly processes?: number;
  readonly onRun?: (run: PlayedRun) => void;
  /** Ends the campaign; what was not played is not in its result. */
  readonly signal?: AbortSignal;
}

/** One run of a campaign. */
export interface RunName {
  readonly service: ServiceName;
  readonly seed: number;
}

/** A run that was played. */
export interface PlayedRun extends RunName {
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly ms: number;
}

/** A run that takes longer hangs. Milliseconds. */
const LONGEST_MS = 300_000;
const CHILD = join(import.meta.dirname, "plays.child.ts");

/** The command that plays a run again and tells what happens in it. */
export function replayCommand({ service, seed }: RunName): string {
  return `npm run chaos -- --service ${service} --seed ${seed}`;
}

/** Plays runs in processes of their own, and gives what came of them. */
export async function campaign(options: CampaignOptions): Promise<readonly PlayedRun[]> {
  const { services = SERVICES, first = 1, processes = 1 } = options;
  const names = Array.from({ length: options.runs }, (_, at): RunName => {
    return { service: services[at % services.length] as ServiceName, seed: first + Math.floor(at / services.length) };
  });
  const played: PlayedRun[] = [];
  const told = (run: PlayedRun): void => {
    played.push(run);
    options.onRun?.(run);
  };
  await Promise.all(Array.from({ length: processes }, () => playRest(names, told, options.signal)));
  return played;
}

/** Plays what is left. A run that ends its process, or hangs, is a failed one, and another process plays those after it. */
async function playRest(names: RunName[], told: (run: PlayedRun) => void, signal?: AbortSignal): Promise<void> {
  while (names.length > 0 && signal?.aborted !== true) await playInOneProcess(names, told, signal);
}

function playInOneProcess(names: RunName[], told: (run: PlayedRun) => void, signal?: AbortSignal): Promise<void> {
  const child = fork(CHILD, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  let present: (RunName & { readonly begun: number }) | undefined;
  let limit: NodeJS.Timeout | undefined;
  const next = (): void => {
    const name = signal?.aborted === true ? undefined : names.shift();
    present = name && { ...name, begun: performance.now() };
    clearTimeout(limit);
    if (name === undefined) return void child.disconnect();
    limit = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
    child.send(name);
  };
  const tell = (outcome: Outcome): void => {
    if (present === undefined) return;
    const { service, seed, begun } = present;
    present = undefined;
    told({ service, seed, outcome, ms: Math.round(performance.now() - begun) });
  };
  const stop = (): void => void child.kill("SIGKILL");
  signal?.addEventListener("abort", stop);
  child.on("message", (outcome: Outcome) => {
    tell(outcome);
    next();
  });
  return new Promise((resolve) => {
    child.once("exit", (code, by) => {
      clearTimeout(limit);
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted !== true) tell(crashed(`the process of the run ended with ${by ?? `code ${code}`}`));
      resolve();
    });
    next();
  });
}

/** The outcome of a run that did not end by itself. */
export function crashed(problem: string): Outcome {
  return { problems: [problem], requests: 0, mishaps: 0, verdict: "none", minutes: 0 };
}
