import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import type { PastCheck } from "../../src/ports/forge.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { FAILED, openStage, T1 } from "./pull-request-stage.ts";

cleanUp();

const LOG = "TAP version 13\nnot ok 1 - adds numbers\n1..1\n";
const failedBy = (log: string): PastCheck => ({ name: "ci", failure: { name: "ci", log, annotations: [], reports: [] } });
const PASSED: PastCheck = { name: "ci" };

describe("a pull request whose failed tests are flaky on the base", () => {
  test("has its checks started again once, without an agent, and lands", async () => {
    const { stage, forge } = await openStage();
    using _ = stage;
    forge.shown = { checks: [FAILED] };
    forge.logs = { ci: LOG };
    forge.baseHistory = [failedBy(LOG), PASSED];
    forge.onRead = () => {
      if (forge.calls.includes("rerun ci")) forge.shown = {};
    };
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect([forge.calls.filter((call) => call.startsWith("rerun")).length, stage.tasks.length]).toEqual([1, 1]);
    expect(stage.ticket(T1).pullRequest).toMatchObject({ rerun: ["ci"], rerunCategory: "flaky" });
    const [triage] = globSync("**/triage.json", { cwd: stage.root });
    expect(JSON.parse(readFileSync(join(stage.root, triage ?? "none"), "utf8"))).toMatchObject({ stopReason: "flaky" });
  });

  test("has them started again once the other required checks are over, and is asked for the words of what failed once", async () => {
    const { stage, forge } = await openStage();
    using _ = stage;
    const other = { name: "smoke", state: "running", isRequired: true } as const;
    const optional = { name: "docs", state: "running", isRequired: false } as const;
    forge.shown = { checks: [FAILED, other, optional], requiredChecks: ["ci", "smoke"] };
    forge.logs = { ci: LOG };
    forge.baseHistory = [failedBy(LOG), PASSED];
    let reads = 0;
    forge.onRead = () => {
      reads += 1;
      if (reads < 5) expect(forge.calls).not.toContain("rerun ci");
      else forge.shown = { checks: [FAILED, { ...other, state: "passed" }, optional], requiredChecks: ["ci", "smoke"] };
      if (forge.calls.includes("rerun ci")) forge.shown = {};
    };
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(forge.calls.filter((call) => /^(?:rerun|words)/.test(call))).toEqual(["words of ci", "rerun ci"]);
    expect(reads).toBeGreaterThanOrEqual(6);
  });

  describe("while a job that nobody requires runs in the same workflow", () => {
    const DOCS = { name: "docs", state: "running", isRequired: false } as const;
    const putOff = async (over: Parameters<typeof openStage>[0] = {}) => {
      const opened = await openStage(over);
      opened.forge.shown = { checks: [FAILED, DOCS] };
      opened.forge.logs = { ci: LOG };
      opened.forge.baseHistory = [failedBy(LOG), PASSED];
      opened.forge.stillRun = ["docs"];
      return opened;
    };
    const endDocs = (forge: Awaited<ReturnType<typeof putOff>>["forge"]) => {
      forge.stillRun = [];
      forge.shown = { checks: [FAILED, { ...DOCS, state: "passed" }] };
      forge.onRead = () => {
        if (forge.calls.includes("rerun ci")) forge.shown = {};
      };
    };

    test("are started again once that is over, which is told, and is no outage", async () => {
      const { stage, forge } = await putOff();
      using _ = stage;
      stage.start();
      await stage.until("pull-request-read", (event) => "waitsOn" in event && event.waitsOn === "rerun");
      expect(stage.ticket(T1).attempt?.waiting).toBe("pull request #7: jobs still run: docs");
      endDocs(forge);
      expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
      expect(stage.types()).not.toContain("outage-started");
      expect(stage.of("pull-request-rerun")).toHaveLength(1);
      expect([forge.calls.filter((call) => call === "rerun ci").length, stage.tasks.length]).toEqual([1, 1]);
    });

    test("are asked for less and less often while nobody knows which job that is", async () => {
      const { stage, forge } = await putOff();
      using _ = stage;
      // It is among those that a reading does not tell.
      forge.stillRun = ["notify"];
      const isOver = Promise.withResolvers<void>();
      forge.onRead = () => {
        if (forge.calls.filter((call) => call === "put off ci").length === 5) isOver.resolve();
      };
      stage.start();
      await isOver.promise;
      const waited = [...forge.waited];
      endDocs(forge);
      expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
      expect(waited).toEqual(waited.toSorted((a, b) => a - b));
      expect(waited.at(-1)).toBeGreaterThan(0);
    });

    test("go to an agent after an hour, which the next engine does not begin anew", async () => {
      const { stage, forge, reopen } = await putOff({ limits: { attempts: 1 } });
      using _ = stage;
      await stage.crashAt((event) => event.type === "pull-request-read" && event.waitsOn === "rerun");
      await reopen({ clock: { ...systemClock, now: () => systemClock.now() + 60 * 60_000 } });
      await stage.resume();
      await stage.ended();
      expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", evidence: [{ summary: "failed on #7: ci" }] });
      // The second engine does not even ask.
      expect(forge.calls.filter((call) => /^(?:rerun|put off)/.test(call))).toEqual(["put off ci"]);
    });

    test("are started again after a required check that took longer than the hour", async () => {
      const { stage, forge, reopen } = await putOff({ limits: { attempts: 1 } });
      using _ = stage;
      await stage.crashAt((event) => event.type === "pull-request-read" && event.waitsOn === "rerun");
      await reopen({ clock: { ...systemClock, now: () => systemClock.now() + 60 * 60_000 } });
      const late = { name: "late", state: "running", isRequired: true } as const;
      forge.shown = { checks: [FAILED, DOCS, late] };
      forge.onRead = () => {
        if (stage.of("pull-request-read").some(({ checks }) => checks.some(({ name }) => name === "late"))) endDocs(forge);
      };
      await stage.resume();
      await stage.ended();
      expect(stage.ticket(T1).phase).toBe("done");
      expect(forge.calls.filter((call) => /^(?:rerun|put off)/.test(call))).toEqual(["put off ci", "rerun ci"]);
    });

    test("have an hour of their own if others fail than those that were put off", async () => {
      const { stage, forge } = await putOff({ limits: { attempts: 1 } });
      using _ = stage;
      const other = { ...FAILED, name: "smoke" };
      forge.baseHistory = [failedBy(LOG), PASSED, { ...failedBy(LOG), name: "smoke" }, { name: "smoke" }];
      forge.logs = { ci: LOG, smoke: LOG };
      stage.start();
      await stage.until("pull-request-read", (event) => "waitsOn" in event && event.waitsOn === "rerun");
      forge.shown = { checks: [other, DOCS], requiredChecks: ["smoke"] };
      forge.stillRun = [];
      forge.onRead = () => {
        if (forge.calls.includes("rerun smoke")) forge.shown = {};
      };
      await stage.ended();
      expect(stage.ticket(T1).phase).toBe("done");
      expect(forge.calls.filter((call) => call.startsWith("rerun"))).toEqual(["rerun smoke"]);
    });
  });

  test("goes to an agent if the forge refuses to start them again, which is no outage", async () => {
    const { stage, forge } = await openStage({ limits: { attempts: 1 } });
    using _ = stage;
    forge.shown = { checks: [FAILED] };
    forge.logs = { ci: LOG };
    forge.baseHistory = [failedBy(LOG), PASSED];
    forge.refusesReruns = true;
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", evidence: [{ summary: "failed on #7: ci" }] });
    expect(stage.types()).not.toContain("outage-started");
  });

  test("fails its attempt if they fail again: it is no person's, and is never merged; the base is asked once", async () => {
    const { stage, forge } = await openStage({ limits: { attempts: 1 } });
    using _ = stage;
    forge.shown = { checks: [FAILED] };
    forge.logs = { ci: LOG };
    forge.baseHistory = [PASSED, failedBy(LOG)];
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({
      phase: "stalled",
      failures: 1,
      evidence: [{ summary: "failed on #7: ci", detail: expect.stringContaining("adds numbers") }],
    });
    expect([forge.merges, stage.tasks.length]).toEqual([0, 1]);
    expect(forge.calls.filter((call) => call === "history of the base")).toHaveLength(1);
    const [triage] = globSync("**/triage.md", { cwd: stage.root });
    expect(readFileSync(join(stage.root, triage ?? "none"), "utf8")).toContain(
      "it has passed and failed on one tree of the base",
    );
  });

  test.each([
    ["only fails on the base", [failedBy(LOG)]],
    ["only passes on the base", [PASSED, PASSED]],
    ["fails otherwise on the base", [PASSED, failedBy("TAP version 13\nnot ok 1 - other\n1..1\n")]],
  ])("goes to an agent if the test %s", async (_what, history) => {
    const { stage, forge } = await openStage({ limits: { attempts: 1 } });
    using _ = stage;
    forge.shown = { checks: [FAILED] };
    forge.logs = { ci: LOG };
    forge.baseHistory = history;
    stage.start();
    await stage.ended();
    expect(forge.calls.filter((call) => call.startsWith("rerun"))).toEqual([]);
    expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", evidence: [{ summary: "failed on #7: ci" }] });
  });
});
