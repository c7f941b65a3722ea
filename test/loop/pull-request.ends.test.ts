import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { cleanUp, git, write } from "../adapters/vcs/real-repo.ts";
import type { FakePullRequests } from "./fake-pull-requests.ts";
import { FAILED, openStage, T1 } from "./pull-request-stage.ts";
import { oneFile, type StageOptions } from "./stage.ts";

cleanUp();

interface Vanishing {
  readonly shown: FakePullRequests["shown"];
  readonly hasWorkflow?: boolean;
  readonly work?: StageOptions["work"];
}

describe("a pull request", () => {
  test.each([
    ["lacks an approval", { review: "approval-missing" }, /approve and merge pull request #7, whose checks have passed/],
    ["was closed by a person", { state: "closed" }, /pull request #7 was closed/],
    ["has somebody else's commits", { head: "f".repeat(40) }, /has commits that loopdash did not push/],
    ["was pointed at another base", { base: "dev" }, /was pointed at dev: set its base back to main/],
  ] as const)("that %s leaves its ticket to a person, with the step", async (_what, shown, step) => {
    const { stage, forge } = await openStage();
    using _ = stage;
    forge.shown = shown as FakePullRequests["shown"];
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({ phase: "human-gated", humanStep: expect.stringMatching(step) });
    expect([forge.merges, stage.tasks.length]).toEqual([0, 1]);
  });

  const absent = { checks: [], requiredChecks: [] };

  test("that never gets a check is a person's where nothing in the repository starts one", async () => {
    const { stage, forge } = await openStage({}, { appearMs: 30 });
    using _ = stage;
    forge.shown = absent;
    stage.start();
    await stage.ended();
    const step = expect.stringContaining("any check did not appear within 0 min: give the repository a check, or say that none");
    expect(stage.ticket(T1)).toMatchObject({ phase: "human-gated", humanStep: step, failures: 0 });
  });

  const WORKFLOW = join(".github", "workflows", "ci.yml");
  const addsWorkflow = (task: Parameters<typeof oneFile>[0]) => {
    mkdirSync(join(task.worktree, ".github", "workflows"), { recursive: true });
    writeFileSync(join(task.worktree, WORKFLOW), "on: []\n");
    return oneFile(task);
  };
  test.each([
    ["the base has a workflow", { shown: absent, hasWorkflow: true }],
    ["the change brings a workflow", { shown: absent, work: addsWorkflow }],
    ["the check is required by name", { shown: { checks: [] } }],
  ])(
    "whose check does not appear fails its attempt if %s: a worker may be why",
    async (_what, { shown, hasWorkflow, work }: Vanishing) => {
      const { stage, forge } = await openStage({ limits: { attempts: 1 }, ...(work && { work }) }, { appearMs: 30 });
      using _ = stage;
      forge.shown = shown;
      if (hasWorkflow === true) {
        mkdirSync(join(stage.user, ".github", "workflows"), { recursive: true });
        write(stage.user, WORKFLOW, "on: [pull_request]\n");
        git(stage.user, "add", "-A");
        git(stage.user, "commit", "-q", "-m", "workflow");
      }
      stage.start();
      await stage.ended();
      const summary = expect.stringMatching(/^pull request #7: (?:any check|the check ci) did not appear within/);
      expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", failures: 1, evidence: [{ summary }] });
      expect(forge.merges).toBe(0);
    },
  );

  test.each<[string, StageOptions["work"]]>([
    ["the same change", undefined],
    ["another change", ({ worktree, attempt }) => void write(worktree, "T-1.txt", `${attempt}\n`)],
    ["no change", ({ worktree, attempt }) => void (attempt === 1 && write(worktree, "T-1.txt", "1\n"))],
  ])(
    "whose check stays away after one more agent (%s) is given up, and not a person's step: no third one is paid",
    async (_what, work) => {
      const { stage, forge } = await openStage({ limits: { attempts: 5 }, ...(work && { work }) }, { appearMs: 200 });
      using _ = stage;
      forge.shown = { checks: [] };
      stage.start();
      expect((await stage.ended()).end).toMatchObject({ kind: "not-done", exitCode: 1 });
      const reason = expect.stringMatching(/^infrastructure: pull request #7: the check ci did not appear within/);
      expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", stalledReason: reason });
      expect(stage.tasks).toHaveLength(2);
      // The second agent begins after the wait for the check.
      const [first, second] = stage.of("attempt-claimed").map(({ at }) => at);
      expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(200);
      expect(forge.merges).toBe(0);
    },
  );

  test("whose checks no longer appear fails its attempt, whatever starts them", async () => {
    const { stage, forge } = await openStage({}, { appearMs: 30 });
    using _ = stage;
    forge.shown = { checks: [FAILED], requiredChecks: [] };
    forge.onRead = () => {
      if (forge.calls.filter((call) => call.startsWith("push")).length === 2) forge.shown = absent;
    };
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", failures: 2 });
  });

  test("whose push the forge refuses three times is a person's, with the forge's words, and costs no attempt", async () => {
    const { stage, forge } = await openStage({ limits: { attempts: 1 } });
    using _ = stage;
    forge.refusals = 3;
    stage.start();
    await stage.until("ticket-gated");
    const step = `let loopdash push loopdash/${stage.state.run}/T-1 to acme/app, and reopen the ticket: hook declined; GH013: no new branches`;
    expect(stage.ticket(T1)).toMatchObject({ failures: 0, humanStep: step, history: [{ outcome: "gated", kept: { files: 1 } }] });
    expect(forge.calls).toEqual(["refuse", "refuse", "refuse"]);
  });

  const LARGE = "pre-receive hook declined; GH001: Large files detected.";
  /** Refuses the history that holds what the first attempt leaves, as a forge looks at each commit of a push. */
  const refuseFirst = (user: string, forge: FakePullRequests) => {
    forge.refuses = (commit) => {
      const commits = git(user, "rev-list", `main..${commit}`).split("\n");
      return commits.some((each) => git(user, "show", `${each}:T-1.txt`) === "1") ? LARGE : undefined;
    };
  };

  test("whose push the forge refuses for what it holds fails its attempt, and is not left to a person", async () => {
    const { stage, forge } = await openStage({ limits: { attempts: 1 } });
    using _ = stage;
    refuseFirst(stage.user, forge);
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({
      phase: "stalled",
      failures: 1,
      evidence: [{ step: "merge", summary: `the push is refused: ${LARGE}` }],
    });
    expect(forge.calls).toEqual(["refuse", "refuse", "refuse"]);
  });

  test("of the next attempt does not continue the commit that the forge has refused", async () => {
    const { stage, forge } = await openStage();
    using _ = stage;
    refuseFirst(stage.user, forge);
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect([stage.tasks.length, forge.merges]).toEqual([2, 1]);
  });

  test("whose push the forge refuses once is pushed at the next try", async () => {
    const { stage, forge } = await openStage();
    using _ = stage;
    forge.refusals = 1;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect([forge.opened, forge.merges, stage.tasks.length]).toEqual([1, 1, 1]);
  });

  test("on whose branch somebody pushed before is left to a person, and nothing of theirs is overwritten", async () => {
    const { stage, forge } = await openStage();
    using _ = stage;
    const [branch] = [`loopdash/${stage.state.run}/T-1`];
    forge.branches.set(branch, "e".repeat(40));
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({
      phase: "human-gated",
      humanStep: expect.stringContaining("where loopdash did not leave it"),
    });
    expect(forge.branches.get(branch)).toBe("e".repeat(40));
  });

  test("waits for an approval if the batch says so", async () => {
    const { stage, forge } = await openStage({}, { approvals: "wait" });
    using _ = stage;
    forge.shown = { review: "approval-missing" };
    stage.start();
    await stage.until("pull-request-read", (event) => "waits" in event && event.waits === "waits for an approval");
    forge.shown = { review: "approved" };
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
  });

  test("is built and checked again when the base has moved", async () => {
    const { stage, forge } = await openStage();
    using _ = stage;
    let hasMoved = false;
    forge.onRead = () => {
      if (hasMoved) return;
      hasMoved = true;
      write(stage.user, "theirs.txt", "theirs\n");
      git(stage.user, "add", "-A");
      git(stage.user, "commit", "-q", "-m", "theirs");
      forge.shown = { merge: "behind" };
      forge.onRead = () => {
        forge.shown = {};
      };
    };
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(forge.calls.filter((call) => call.startsWith("push"))).toHaveLength(2);
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).toEqual(expect.arrayContaining(["T-1.txt", "theirs.txt"]));
  });

  test("waits out a forge that is away, which costs no attempt", async () => {
    const { stage, forge } = await openStage({ limits: { attempts: 1, outageMinutes: 5 } });
    using _ = stage;
    forge.isAway = true;
    stage.start();
    await stage.until("outage-started", (event) => "what" in event && event.what === "forge");
    forge.isAway = false;
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(stage.ticket(T1).history).toHaveLength(1);
  });

  test("whose forge says nothing ends at once by a stop", async () => {
    const { stage, forge } = await openStage();
    using _ = stage;
    forge.isSilent = true;
    stage.start();
    await stage.until("pull-request-intended");
    stage.engine.orchestrator.command({ type: "stop" });
    await stage.ended();
    expect(stage.ticket(T1).history).toMatchObject([{ outcome: "stopped" }]);
  });

  test("whose forge says nothing ends at once by a kill, and the next attempt finds that nothing was pushed", async () => {
    const { stage, forge } = await openStage();
    using _ = stage;
    forge.isSilent = true;
    stage.start();
    await stage.until("pull-request-intended");
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    await stage.until("attempt-ended");
    forge.isSilent = false;
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(stage.ticket(T1).history).toMatchObject([{ outcome: "killed" }, { outcome: "done" }]);
    expect([forge.opened, forge.merges]).toEqual([1, 1]);
  });

  const MOMENTS: readonly RunEvent["type"][] = [
    "pull-request-intended",
    "pull-request-opened",
    "pull-request-read",
    "pull-request-merging",
    "merge-intended",
    "merge-landed",
  ];
  test.each(MOMENTS)("kill -9 at %s: one push, one pull request, one merge", async (moment) => {
    const { stage, forge, reopen } = await openStage();
    using _ = stage;
    await stage.crashAt((event) => event.type === moment);
    await reopen();
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect([forge.calls.filter((call) => call.startsWith("push")).length, forge.opened, forge.merges]).toEqual([1, 1, 1]);
    expect(stage.tasks).toHaveLength(1);
    expect(forge.branches.size).toBe(0);
    expect(stage.git("rev-list", "--count", "main")).toBe("2");
  });

  test("that was merged while no engine looked has landed", async () => {
    const { stage, forge, reopen } = await openStage();
    using _ = stage;
    forge.shown = { checks: [{ ...FAILED, state: "running" }] };
    await stage.crashAt((event) => event.type === "pull-request-read");
    forge.merge([...forge.branches.values()][0] ?? "");
    await reopen();
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(forge.merges).toBe(0);
  });
});
