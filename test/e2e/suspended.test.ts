import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { Stage, type Started } from "./stage.ts";

/** Waits for files, then stops the engine until it has not run for `seconds` and `ended` is there. */
async function suspend({ child }: Started, seconds: number, { begun, ended }: { begun: string; ended: string }): Promise<void> {
  const pid = child.pid as number;
  while (!existsSync(begun) && child.exitCode === null) await wait(20);
  process.kill(pid, "SIGSTOP");
  const since = performance.now();
  while (performance.now() - since < seconds * 1_000 || !existsSync(ended)) await wait(50);
  process.kill(pid, "SIGCONT");
}

const DID_NOT_RUN = /the engine did not run from \S+ \S+ UTC to \S+ \S+ UTC/;

test("a stopped engine charges no agent that printed all the time and ended meanwhile", { timeout: 90_000 }, async () => {
  using stage = new Stage();
  stage.repo("app");
  const [begun, ended] = [stage.path("begun"), stage.path("ended")];
  stage.agent(`for (let i = 0; i < 8; i += 1) { say("line " + i); await wait(400); fs.writeFileSync("${begun}", ""); }
fs.writeFileSync("a.txt", "a"); say("over"); fs.writeFileSync("${ended}", "");`);
  const batch = stage.batch(["T-1"], {
    limits: { attempts: 1, silenceMinutes: 0.05, minutesPerAttempt: 0.1, minutesPerRun: 0.2 },
  });
  const run = stage.start([batch, "--headless"]);
  await suspend(run, 13, { begun, ended });
  const { code, stdout } = await run.ended;
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(DID_NOT_RUN);
  expect((await stage.run(["status"])).stdout).toMatch(DID_NOT_RUN);
  expect((await stage.run(["report", "--md"])).stdout).toMatch(DID_NOT_RUN);
  expect((await stage.report()).suspensions).not.toHaveLength(0);
});

test("a stopped engine charges no check that goes on afterwards, past its time by the clock", { timeout: 90_000 }, async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(`fs.writeFileSync("a.txt", "a");`);
  const [begun, ended] = [stage.path("begun"), stage.path("ended")];
  const command = ["sh", "-c", `: > ${begun}; sleep 7; : > ${ended}; sleep 3`];
  const step = { step: "check", name: "slow", command, minutes: 0.1 };
  const batch = stage.batch(["T-1"], { limits: { attempts: 1 }, ownFinish: [{ step: "gates" }, step, { step: "merge" }] });
  const run = stage.start([batch, "--json"]);
  await suspend(run, 8, { begun, ended });
  const { code, stdout } = await run.ended;
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toContain('"type":"engine-suspended"');
});
