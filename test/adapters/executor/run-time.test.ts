import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const RUN_TIME = JSON.stringify(join(import.meta.dirname, "../../../src/adapters/executor/run-time.ts"));
/** A program that blocks itself for 4 s, or whose time of day jumps by an hour, while a limit of 5 s counts. */
const program = (gap: string) => `import { afterRunning, ranMs, takeGaps, whenOver } from ${RUN_TIME};
ranMs();
const begun = performance.now();
let read = 0;
setTimeout(() => { ${gap} }, 500);
setTimeout(() => console.log(JSON.stringify({ ran: Math.round(ranMs()), gaps: takeGaps().map(({ from, to }) => to - from) })), 4_800);`;

test.for([
  ["stops", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000);", 1_500, 3_900],
  [
    "sleeps with its machine, which moves the time of day",
    "const now = Date.now; Date.now = () => now() + 3_600_000;",
    5_500,
    3_600_000,
  ],
] as const)("a process that %s: the time does not count and is told once", { timeout: 30_000 }, async ([, gap, most, least]) => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program(gap)], {
    timeout: 25_000,
  });
  const { ran, gaps } = JSON.parse(stdout);
  expect(ran).toBeLessThan(most);
  expect(gaps).toHaveLength(1);
  expect(gaps[0]).toBeGreaterThanOrEqual(least);
});
