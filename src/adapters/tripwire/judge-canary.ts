import { setTimeout as pause } from "node:timers/promises";
import type { FrozenProgram, Judging } from "../../ports/oracle.ts";
import type { Age, Canary, Expected, Scene } from "./canary.ts";
import type { DecoyFolders } from "./decoy-folders.ts";
import { judgeWithRetry } from "./machine-fault.ts";
import { withKeys } from "./service-issues.ts";
import { type TrackerLocation, writeHalf, writeHuge, writeTorn, writeTracker } from "./write-tracker.ts";

/** Limits of a changing canary: total time in milliseconds, and number of changes. */
const CHANGING_MS = 250;
const BETWEEN_MS = 4;

export interface Judge {
  readonly program: FrozenProgram;
  /** True if the program only needs to return exit codes: counts are not checked then, and 1 is as good as 2. */
  readonly plain: boolean;
  readonly hides: DecoyFolders;
  readonly signal: AbortSignal;
  /** Set if the judgement yields to other work. */
  readonly how: "background" | undefined;
}

/**
 * Has a canary judged, once per scene. Returns the fault of a judgement, or undefined if all were right. Throws a MachineFault if
 * the oracle could not be run.
 */
export async function judgeCanary(judge: Judge, canary: Canary): Promise<string | undefined> {
  const place = await judge.hides.make(canary.kind);
  try {
    for (const scene of canary.scenes) {
      const judging = await judgeWithRetry(() => judgeOnce(judge, canary, place, scene), judge.signal);
      const wrong = isRight(scene.expected, judging, judge.plain) ? undefined : describeWrong(scene.expected, judging);
      if (wrong !== undefined) return `${canary.name} (${canary.kind}, ${canary.batch.length} tickets): ${wrong}`;
    }
    return undefined;
  } finally {
    await judge.hides.remove(place);
  }
}

async function judgeOnce(
  { program, signal, how }: Judge,
  canary: Canary,
  place: TrackerLocation,
  scene: Scene,
): Promise<Judging> {
  await layOut(canary, place, scene);
  const tracker = "keys" in place ? withKeys(place, canary.batch) : place;
  const judging = program.judge({ version: 1, tracker, tickets: canary.batch }, signal, how);
  if (canary.damage === "changing") await changeUntil(place, scene, canary.age, judging);
  return judging;
}

async function layOut({ damage, age }: Canary, place: TrackerLocation, { tickets }: Scene): Promise<void> {
  if (damage === "gone") return;
  if (damage === "half") return writeHalf(place, tickets, age);
  if (damage === "huge") return writeHuge(place, tickets, age);
  return writeTracker(place, tickets, age);
}

/** Rewrites the tracker again and again until it was judged, or for a while; then leaves it in its final form. */
async function changeUntil(place: TrackerLocation, scene: Scene, age: Age, judging: Promise<unknown>): Promise<void> {
  let over = false;
  void judging.then(() => {
    over = true;
  });
  const until = performance.now() + CHANGING_MS;
  while (!over && performance.now() < until) await writeTorn(place, scene.tickets.slice(0, 20), () => pause(BETWEEN_MS));
  if (!over) await writeTracker(place, scene.tickets, age);
}

function isRight(expected: Expected, { judgement, exitCode }: Judging, plain: boolean): boolean {
  switch (expected.verdict) {
    case "unjudged":
      return exitCode === 2 ? judgement.verdict === "unjudged" : plain && exitCode === 1;
    case "not-done-or-unjudged":
      return (judgement.verdict === "not-done" && exitCode === 1) || (judgement.verdict === "unjudged" && exitCode === 2);
    default: {
      if (judgement.verdict !== expected.verdict || exitCode !== (expected.verdict === "done" ? 0 : 1)) return false;
      // A judgement names only the first of many open tickets.
      const named = expected.open.slice(0, Math.max(1, judgement.open.length));
      return plain || JSON.stringify([judgement.counts, judgement.open]) === JSON.stringify([expected.counts, named]);
    }
  }
}

function describeWrong(expected: Expected, { judgement, exitCode }: Judging): string {
  const said = `${judgement.verdict} with exit code ${exitCode ?? "none"}`;
  const why = judgement.problem === undefined ? "" : ` (${judgement.problem.slice(0, 200)})`;
  if (expected.verdict === judgement.verdict && "counts" in expected) {
    return `judged ${said}, but with other counts or other open tickets than it has`;
  }
  return `judged ${said}${why}, which is ${expected.verdict === "not-done-or-unjudged" ? "not done" : expected.verdict}`;
}
