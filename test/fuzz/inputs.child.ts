import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Inputs, Told } from "./messages.ts";
import { Random } from "./random.ts";
import type { Target, Trial } from "./target.ts";
import { TARGETS } from "./targets.ts";

/** Tries inputs and tells of each, so that whoever started this knows which one it was if it hangs or crashes. */
async function tryInputs({ target: name, seed, first, end, step, folder }: Inputs): Promise<void> {
  const target = TARGETS.find((each) => each.name === name);
  if (target === undefined) throw new Error(`there is no target ${name}`);
  let stray: unknown;
  process.on("unhandledRejection", (error) => {
    stray = error;
  });
  for (let index = first; index < end; index += step) {
    await tell({ begins: index });
    const own = join(folder, String(index));
    mkdirSync(own);
    const trial = await attempt(target, new Random(`${name} ${seed} ${index}`), own);
    // What was rejected and nobody waited for is known after a turn of the event loop.
    await new Promise((turn) => setImmediate(turn));
    const problem = stray === undefined ? trial.problem : `a rejection that nobody handles: ${stackOf(stray)}`;
    await tell({ ends: index, ...trial, ...(problem === undefined ? {} : { problem }) });
    if (stray !== undefined) process.exit(1);
  }
  process.disconnect();
}

async function attempt(target: Target, random: Random, folder: string): Promise<Trial> {
  try {
    return await target.attempt(random, folder, (made) => void tell({ made }));
  } catch (error) {
    return { input: "?", outcome: "thrown", problem: `it was thrown: ${stackOf(error)}` };
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function tell(told: Told): Promise<void> {
  return new Promise((sent, failed) => {
    process.send?.(told, (error: Error | null) => (error === null ? sent() : failed(error)));
  });
}

process.once("message", (inputs: Inputs) => void tryInputs(inputs));
