import { childEnvironment, ROOT, run, type Scratch } from "./children.ts";
import { median } from "./stats.ts";

/** Milliseconds from a program's start to its end. Throws if it fails. */
export async function timed(scratch: Scratch, argv: readonly [string, ...string[]]): Promise<number> {
  const result = await run({ argv, cwd: ROOT, env: childEnvironment(scratch.path) });
  if (result.code !== 0) throw new Error(`${argv.join(" ")} ended with ${result.code}: ${result.stderr.slice(-500)}`);
  return result.ms;
}

/**
 * Runs each measurement once per round, in turn, so that a busy moment affects all alike; backwards in every other round, so that none
 * always follows the same one. Returns medians, in the order of the measurements.
 */
export async function alternate(
  rounds: number,
  measurements: readonly ((round: number) => Promise<number>)[],
): Promise<readonly number[]> {
  const times = measurements.map((): number[] => []);
  for (let round = 1; round <= rounds; round += 1) {
    const inTurn = [...measurements.entries()];
    for (const [i, measure] of round % 2 === 0 ? inTurn.toReversed() : inTurn) times[i]?.push(await measure(round));
  }
  return times.map(median);
}
