import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { bwrap, NOTHING, PATH, useStage } from "./support.ts";

const stage = useStage();
const ROUNDS = 31;

/** What it takes when nothing else disturbs it. */
const lowest = (of: readonly number[]): number => Math.min(...of);
const took = async (act: () => Promise<void> | void): Promise<number> => {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
};
const start = (argv: readonly string[], env: Readonly<Record<string, string>>) => {
  expect(spawnSync(argv[0] ?? "", argv.slice(1), { env, stdio: ["ignore", "pipe", "pipe"] }).status).toBe(0);
};

/**
 * Alternating, so that what else the machine does hits all alike. The bound is that of the issue; where the machine is
 * busy, the same as a ratio to a start of bwrap with nothing but namespaces.
 */
test("the sandbox adds at most 30 ms to a start", async () => {
  const sandbox = stage.sandbox();
  const plain: number[] = [];
  const bare: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const launch = { argv: ["/bin/true"], cwd: stage.at("wt"), env: { PATH } };
    plain.push(await took(() => start(launch.argv, launch.env)));
    bare.push(await took(() => start([bwrap(), "--unshare-all", "--ro-bind", "/", "/", "/bin/true"], { PATH })));
    const begun = performance.now();
    const confined = await sandbox.confine(launch, { ...NOTHING, write: [stage.at("wt")] });
    start(confined.argv, confined.env);
    whole.push(performance.now() - begun);
    await confined.settle();
  }
  const [base, least, all] = [lowest(plain), lowest(bare), lowest(whole)];
  console.log(`a start ${base.toFixed(1)} ms, of bare bwrap ${least.toFixed(1)} ms, confined ${all.toFixed(1)} ms`);
  expect(all - base).toBeLessThan(Math.max(30, 8 * (least - base)));
});
