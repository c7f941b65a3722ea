import { expect, test } from "vitest";
import { play } from "./play.ts";
import { SERVICES } from "./service-side.ts";

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
