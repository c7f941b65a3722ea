import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { ciStopReason } from "../../src/domain/ci/stop-reason.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { JobsStillRun, RerunRefused } from "../../src/ports/forge.ts";
import type { Repo } from "../../src/ports/vcs.ts";
import { describeEvent } from "../../src/store/describe-event.ts";
import { formatMinute } from "../../src/store/format.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ANSWER, answers, CI, LOST, open, result } from "./branch-stage.ts";

cleanUp();

describe("a branch with more than one kind of checks", () => {
  test("is not green by a status that comes before its workflows", async () => {
    const { stage, branch } = await open({ checks: { ...ANSWER, bot: () => undefined }, work: answers("42"), appearMs: 60_000 });
    using _ = stage;
    mkdirSync(join(stage.user, ".github/workflows"), { recursive: true });
    writeFileSync(join(stage.user, ".github/workflows/ci.yml"), "on: push\n");
    stage.git("add", ".");
    stage.git("commit", "-q", "-m", "a workflow");
    let reads = 0;
    branch.onRead = () => void (reads += 1);
    branch.leftOut = (name) => name === "test" && reads < 3;
    branch.isWithoutWorkflow = (checks) => checks.every(({ name }) => name === "bot");
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), stage.tasks.length]).toEqual(["green", 1]);
    expect(stage.of("pull-request-read")[0]).toMatchObject({ waits: "waits for its workflows to start" });
  });

  test("is not green if one of a great many checks that failed does not run any more", async () => {
    const judge = ANSWER["test"] ?? (() => undefined);
    const names = Array.from({ length: 60 }, (_, i) => `${"long ".repeat(20)}${i}`);
    const { stage, branch } = await open({ checks: Object.fromEntries(names.map((name) => [name, judge])), work: answers("42") });
    using _ = stage;
    branch.leftOut = (name, read) => name === names[59] && read("answer.txt") !== undefined;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), result(state).iterations[0]?.failedChecks.length]).toEqual(["infrastructure", 60]);
    expect(result(state).summary).toMatch(/long 59 failed before and did not run on /);
  });

  test("is waited for if a check runs again before the oracle is asked", async () => {
    const limits = { attempts: 1, minutesPerRun: 60 };
    const { stage, branch } = await open({ checks: { test: () => undefined }, limits });
    using _ = stage;
    let late = 0;
    branch.onRead = () => void (late += stage.types().includes("merge-landed") ? 1 : 0);
    branch.isRunning = () => late === 1 || late === 2;
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), late]).toEqual(["green", 3]);
    expect(stage.of("ticket-reopened")).toEqual([]);
    const told = { ticket: CI, why: "waits for test", until: state.startedAt + 3_600_000 };
    expect(stage.of("reverify-waits")).toMatchObject([told]);
    const lines = stage.of("reverify-waits").map((event) => describeEvent(event, state)?.text);
    expect(lines).toEqual([`re-verification waits for test, until ${formatMinute(told.until)} at most`]);
  });

  test("is not done if a check that runs again before the oracle is asked does not end: the wait has a bound without one of the run", async () => {
    let late = 0;
    const isWaitedFor = () => stage.types().includes("reverify-waits");
    const { stage, branch } = await open({
      checks: { test: () => undefined },
      over: ({ clock }) => {
        const now = () => clock.now() + late;
        return { clock: { ...clock, now, after: clock.after.bind(clock) } };
      },
    });
    using _ = stage;
    branch.onRead = () => void (late = isWaitedFor() ? 3_600_000 : 0);
    branch.isRunning = () => stage.types().includes("merge-landed") && !stage.types().includes("ticket-reopened");
    stage.start();
    expect(ciStopReason(await stage.ended())).toBe("green");
    const summary = expect.stringMatching(/^[0-9a-f]{7}: its checks run again and have not ended in time: waits for test$/);
    expect(stage.of("ticket-reopened")).toMatchObject([{ ticket: CI, evidence: { summary } }]);
    expect(stage.of("reverify-waits")).toHaveLength(1);
  });

  test("has its lost job started again by the next engine, if one was killed before it asked for that", async () => {
    let reruns = () => 0;
    const { stage, branch, reopen } = await open({ checks: { test: () => (reruns() === 0 ? LOST : undefined) } });
    using _ = stage;
    reruns = () => branch.reruns.length;
    await stage.crashAt(({ type }) => type === "pull-request-rerun");
    branch.reruns.length = 0;
    await reopen();
    await stage.resume();
    expect(ciStopReason(await stage.ended())).toBe("green");
    expect(branch.reruns).toEqual(["test"]);
  });

  test("is waited for if its push took longer than a check may take to appear: the bound counts from the first reading", async () => {
    let late = 0;
    const { stage, branch } = await open({
      appearMs: 60_000,
      work: answers("42"),
      over: ({ clock, repos }) => {
        const now = () => clock.now() + late;
        const land = (repo: Repo) => (move: Parameters<Repo["land"]>[0]) => {
          late = 60_000;
          return repo.land(move);
        };
        return {
          clock: { ...clock, now, after: clock.after.bind(clock) },
          repos: new Map([...repos].map(([id, repo]) => [id, { ...repo, land: land(repo) }])),
        };
      },
    });
    using _ = stage;
    let isFirst = true;
    branch.leftOut = () => late > 0 && isFirst;
    branch.onRead = () => {
      if (!stage.of("pull-request-read").some(({ checks }) => checks.length === 0)) return;
      isFirst = false;
      late = 0;
    };
    stage.start();
    expect([ciStopReason(await stage.ended()), stage.tasks.length]).toEqual(["green", 1]);
  });

  describe("of whose workflow a job has not appeared yet, after which alone a lost one is started again", () => {
    const putOff = async (over: Parameters<typeof open>[0] = {}) => {
      let reruns = () => 0;
      const opened = await open({ checks: { test: () => (reruns() === 0 ? LOST : undefined) }, ...over });
      reruns = () => opened.branch.reruns.length;
      return opened;
    };
    const isTold = (event: RunEvent) => "waitsOn" in event && event.waitsOn === "rerun";

    test("is waited for, which is told, and is no outage; its failures are read once", async () => {
      const { stage, branch } = await putOff();
      using _ = stage;
      let [refused, words] = [0, 0];
      branch.onFailures = () => void (words += 1);
      branch.onRerun = () => {
        refused += 1;
        if (refused < 4) throw new JobsStillRun("GitHub re-runs failed jobs when notify has ended", ["notify"]);
      };
      stage.start();
      const state = await stage.ended();
      expect([ciStopReason(state), stage.tasks.length, words, branch.reruns]).toEqual(["green", 0, 1, ["test"]]);
      expect(stage.events.filter(isTold)).toMatchObject([{ waits: "GitHub re-runs failed jobs when notify has ended" }]);
      expect([stage.of("pull-request-rerun").length, stage.types().includes("outage-started")]).toEqual([1, false]);
    });

    test("ends after an hour, which the next engine does not begin anew", async () => {
      const { stage, branch, reopen } = await putOff({ limits: { attempts: 1 } });
      using _ = stage;
      let asked = 0;
      branch.onRerun = () => {
        asked += 1;
        throw new JobsStillRun("jobs still run", []);
      };
      await stage.crashAt((event) => event.type === "pull-request-read" && isTold(event));
      const before = asked;
      await reopen(true, { clock: { ...systemClock, now: () => systemClock.now() + 60 * 60_000 } });
      await stage.resume();
      expect([ciStopReason(await stage.ended()), asked - before]).toEqual(["infrastructure", 0]);
    });

    test("ends at once if the forge refuses to start it again for good", async () => {
      const { stage, branch } = await putOff();
      using _ = stage;
      branch.onRerun = () => {
        throw new RerunRefused("GitHub refuses to start the job again (403)");
      };
      stage.start();
      expect(ciStopReason(await stage.ended())).toBe("infrastructure");
      expect(stage.types()).not.toContain("outage-started");
    });
  });
});
