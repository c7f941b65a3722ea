import { execFile, fork } from "node:child_process";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Inputs, Told } from "./messages.ts";
import { killAll, memoryOf, treeOf } from "./process-tree.ts";
import type { Target } from "./target.ts";

/** Inputs of one target: so many, from the first that is named. */
export interface CampaignOptions {
  readonly target: Target;
  readonly seed: number;
  readonly inputs: number;
  /** The first input; default 0. A campaign of one input replays it. */
  readonly first?: number;
  /** Processes that try inputs at the same time; default 1. */
  readonly processes?: number;
  /** Told of each input that ended. */
  readonly onInput?: (done: Done) => void;
  /** Ends the campaign; what was not tried is no failure. */
  readonly signal?: AbortSignal;
}

/** An input that was tried. */
export interface Done {
  readonly index: number;
  readonly input: string;
  readonly outcome: string;
  readonly problem?: string;
  readonly ms: number;
  readonly bytes: number;
}

/** What a campaign found. */
export interface Findings {
  readonly tried: number;
  /** How often each outcome came. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly failures: readonly Done[];
  readonly slowest: Done | undefined;
  readonly largest: Done | undefined;
}

const CHILD = join(import.meta.dirname, "inputs.child.ts");
const LOOK_EVERY_MS = 100;

/** The command that tries one input of a campaign again. */
export function replayCommand(target: string, seed: number, index: number): string {
  return `npm run fuzz -- --only ${target} --seed ${seed} --input ${index}`;
}

/** Tries hostile inputs in processes of their own, each within the target's bounds. What hangs or grows is killed and is a failure. */
export async function campaign(options: CampaignOptions): Promise<Findings> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "loopdash-fuzz-")));
  const done: Done[] = [];
  const first = options.first ?? 0;
  const { target, seed, processes: step = 1 } = options;
  const told = (each: Done): void => {
    done.push(each);
    options.onInput?.(each);
  };
  try {
    const shares = Array.from({ length: step }, (_, i) => ({
      target: target.name,
      seed,
      first: first + i,
      end: first + options.inputs,
      step,
      folder,
    }));
    await Promise.all(shares.map((share) => tryShare(share, options, told)));
  } finally {
    await removeAll(folder);
  }
  const most = (options: (each: Done) => number) => done.toSorted((a, b) => options(b) - options(a))[0];
  return {
    tried: done.length,
    outcomes: new Map([...Map.groupBy(done, ({ outcome }) => outcome)].map(([outcome, each]) => [outcome, each.length])),
    failures: done.filter(({ problem }) => problem !== undefined),
    slowest: most(({ ms }) => ms),
    largest: most(({ bytes }) => bytes),
  };
}

/** A process that an input ended is followed by another one for the inputs after it. */
async function tryShare(share: Inputs, options: CampaignOptions, told: (done: Done) => void): Promise<void> {
  let next = share.first;
  while (next < share.end && options.signal?.aborted !== true) {
    next = (await tryInOneProcess({ ...share, first: next }, options, told)) + share.step;
  }
}

/** Gives the last input that was tried. */
function tryInOneProcess(inputs: Inputs, options: CampaignOptions, told: (done: Done) => void): Promise<number> {
  const { bounds } = options.target;
  const child = fork(CHILD, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const pid = child.pid ?? 0;
  let index = inputs.first - inputs.step;
  let begun: number | undefined;
  let made = "?";
  let bytes = 0;
  let before = 0;
  const end = (trial: Pick<Done, "input" | "outcome" | "problem">): void => {
    if (begun !== undefined) told({ index, ...trial, ms: Math.round(performance.now() - begun), bytes });
    begun = undefined;
  };
  const kill = (problem: string): void => {
    end({ input: made, outcome: "killed", problem });
    killAll(treeOf(pid));
  };
  const look = setInterval(() => {
    if (options.signal?.aborted === true) return killAll(treeOf(pid));
    if (begun === undefined) return;
    bytes = Math.max(bytes, memoryOf(treeOf(pid)) - before);
    if (bytes > bounds.bytes) kill(`it took more than ${Math.round(bounds.bytes / 1e6)} MB of memory`);
    else if (performance.now() - begun > bounds.ms) kill(`it took longer than ${bounds.ms / 1000} s`);
  }, LOOK_EVERY_MS);
  child.on("message", (message: Told) => {
    if ("begins" in message) {
      index = message.begins;
      begun = performance.now();
      bytes = 0;
      made = "?";
      before = memoryOf([pid]);
    } else if ("made" in message) made = message.made;
    else end(message);
  });
  child.send(inputs);
  return new Promise((settle) => {
    child.once("exit", (code, signal) => {
      clearInterval(look);
      if (options.signal?.aborted === true) begun = undefined;
      end({ input: made, outcome: "crashed", problem: `the process ended with ${signal ?? `code ${code}`}` });
      settle(index);
    });
  });
}

/** Removes what inputs left. Not with loopdash's own means, since they may be what failed. */
async function removeAll(folder: string): Promise<void> {
  const run = promisify(execFile);
  await run("chmod", ["-R", "u+rwX", folder]).catch(() => undefined);
  await run("rm", ["-rf", folder]);
}
