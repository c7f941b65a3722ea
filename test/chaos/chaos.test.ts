import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { play } from "./play.ts";
import { SERVICES, type ServiceName } from "./service-side.ts";

/** A line of a log without what the server's port, which differs each time, makes of addresses and revisions. */
function withoutPort(line: string): string {
  return line.replaceAll(/127\.0\.0\.1:\d+/g, "server").replaceAll(/"(?:revision|before)":"[0-9a-f]+"/g, "");
}

/** .ci/run plays many more (`npm run chaos`). */
const SEEDS = [1, 2, 3];

test.each(SERVICES)("no failure of %s makes a false done, loses or doubles anything", async (service) => {
  for (const seed of SEEDS) {
    const { problems, mishaps } = await play({ service, seed });
    expect(problems, `npm run chaos -- --service ${service} --seed ${seed}`).toEqual([]);
    expect(mishaps).toBeGreaterThan(5);
  }
});

test.each(SERVICES)("a run on %s follows from its seed", async (service) => {
  const logOf = async (): Promise<readonly string[]> => {
    const lines: string[] = [];
    await play({ service, seed: 5, log: (line) => lines.push(withoutPort(line)) });
    return lines;
  };
  expect(await logOf()).toEqual(await logOf());
});

/**
 * Runs in which an engine is killed at an event. If it is killed during a request to GitHub, the queue of its requests stays for three
 * minutes (@octokit/plugin-throttling).
 */
const KILLED = { linear: 6, github: 18 } as const;

/** Plays a run, and gives a reference to what belongs to it alone. */
async function left(service: ServiceName): Promise<WeakRef<object>> {
  const log = (): void => undefined;
  await play({ service, seed: KILLED[service], log });
  return new WeakRef(log);
}

test.each(SERVICES)("a run on %s leaves nothing in memory", async (service) => {
  const run = await left(service);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // `fetch` lets go of ended connections every half second. What is expected is not the object: a failure would hold it.
  await vi.waitFor(
    () => {
      collect();
      expect(run.deref() === undefined).toBe(true);
    },
    { timeout: 10_000, interval: 100 },
  );
});
