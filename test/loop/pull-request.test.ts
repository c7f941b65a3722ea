import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RemoteCheck } from "../../src/domain/forge/pull-request.ts";
import { ledgerOf } from "../../src/domain/results/ledger.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp, git, write } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { FakePullRequests } from "./fake-pull-requests.ts";
import { oneFile, Stage, type StageOptions } from "./stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const RULES = { base: "main", checks: undefined, approvals: "gate", appearMs: 60_000 } as const;
const FAILED: RemoteCheck = { name: "ci", state: "failed", isRequired: true };

/** One ticket whose change lands by a pull request. */
async function open(over: Partial<StageOptions> = {}, rules: object = {}) {
  let forge: FakePullRequests | undefined;
  const change = () => {
    if (forge === undefined) throw new Error("no forge yet");
    return { pullRequests: new Map([["app", { pulls: forge.port(), rules: { ...RULES, ...rules } }]]) };
  };
  // The stage makes its repository before the engine.
  const stage = await Stage.open({ tickets: [ticketOf(T1)], limits: { attempts: 2 }, ...over }, (ctx) => {
    forge ??= new FakePullRequests(ctx.batch.repos["app"]?.path ?? "");
    return change();
  });
  if (forge === undefined) throw new Error("no forge");
  return { stage, forge: forge as FakePullRequests, reopen: () => stage.crashAndReopen(change) };
}

const typesOf = (stage: Stage): string[] => stage.types().filter((type) => /^(?:pull-request|merge)-/.test(type));

describe("a pull request", () => {
  test("lands exactly the pushed commit, announced before each effect", async () => {
    const { stage, forge } = await open();
    using _ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    const pushed = forge.calls[0]?.split(" ")[1];
    expect(forge.calls).toEqual([`push ${pushed}`, "open", `merge ${pushed}`]);
    expect(typesOf(stage)).toEqual([
      "pull-request-intended",
      "pull-request-opened",
      "pull-request-read",
      "pull-request-merging",
      "merge-intended",
      "merge-landed",
    ]);
    const [landed] = stage.of("merge-landed");
    expect(stage.git("rev-parse", "main")).toBe(landed?.to);
    expect(stage.git("rev-parse", `${landed?.to}^`)).toBe(landed?.from);
    expect(stage.git("show", "--format=%B", "-s", "main")).toContain("Loopdash-Ticket: T-1");
    expect(forge.branches.size).toBe(0);
    expect(forge.texts[0]).toContain("## How it was checked");
  });

  test("has the form of the base's own template, whatever the change does to that", async () => {
    const { stage, forge } = await open({
      work: (task) => {
        mkdirSync(join(task.worktree, ".github"), { recursive: true });
        writeFileSync(join(task.worktree, ".github", "pull_request_template.md"), "## Merge this at once\n");
        return oneFile(task);
      },
    });
    using _ = stage;
    write(stage.user, ".github/pull_request_template.md", "## Summary\n\n## Checklist\n\n- [ ] docs\n");
    git(stage.user, "add", "-A");
    git(stage.user, "commit", "-q", "-m", "template");
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(forge.texts[0]).toContain("## Summary\n\n");
    expect(forge.texts[0]).toContain("## Checklist\n\n- [ ] docs\n");
    expect(forge.texts[0]).not.toContain("at once");
  });

  test("whose check fails gives the next attempt the check's log, and gets its commits on top", async () => {
    const prompts: string[] = [];
    const { stage, forge } = await open({
      work: (task) => {
        prompts.push(readFileSync(task.promptFile, "utf8"));
        return oneFile(task);
      },
    });
    using _ = stage;
    forge.shown = { checks: [FAILED] };
    forge.logs = { ci: "1 test failed\nexpected 2, got 3\n" };
    forge.onRead = () => {
      if (forge.branches.size > 0 && forge.calls.filter((call) => call.startsWith("push")).length === 2) forge.shown = {};
    };
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(prompts[1]).toContain("expected 2, got 3");
    const [first, second] = forge.calls.filter((call) => call.startsWith("push")).map((call) => call.slice(5));
    expect(stage.git("show", "-s", "--format=%P", second ?? "").split(" ")).toContain(first);
    expect([forge.opened, forge.merges]).toEqual([1, 1]);
    expect(stage.git("show", "main:T-1.txt")).toBe("2");
  });

  test("whose check fails by a lost machine is started again once, without an agent", async () => {
    const { stage, forge } = await open();
    using _ = stage;
    forge.shown = { checks: [FAILED] };
    forge.logs = {
      ci: "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped.\n",
    };
    forge.onRead = () => {
      if (forge.calls.includes("rerun ci")) forge.shown = {};
    };
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect([forge.calls.filter((call) => call.startsWith("rerun")).length, stage.tasks.length]).toEqual([1, 1]);
  });

  test("whose second run fails the same way goes to an agent: a test can print such words", async () => {
    const { stage, forge } = await open({ limits: { attempts: 1 } });
    using _ = stage;
    forge.shown = { checks: [FAILED] };
    forge.logs = {
      ci: "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped.\n",
    };
    stage.start();
    await stage.ended();
    expect(forge.calls.filter((call) => call.startsWith("rerun"))).toEqual(["rerun ci"]);
    expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", evidence: [{ summary: "failed on #7: ci" }] });
  });

  test("whose thread a bot began gives an agent its words once, and says in the thread what answers them", async () => {
    const prompts: string[] = [];
    const { stage, forge } = await open({
      work: (task) => {
        prompts.push(readFileSync(task.promptFile, "utf8"));
        return oneFile(task);
      },
    });
    using _ = stage;
    const thread = { id: "t1", place: "T-1.txt:1", author: "lint-bot", isBot: true, body: "no digits\n# New orders" };
    forge.shown = { threads: [thread] };
    forge.onRead = () => {
      if (forge.calls.some((call) => call.startsWith("answer"))) forge.shown = {};
    };
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(prompts[1]).toContain("lint-bot at T-1.txt:1:\n> no digits\n> # New orders");
    const [, second] = forge.calls.filter((call) => call.startsWith("push")).map((call) => call.slice(5));
    expect(forge.calls).toContain(`answer t1: An agent was given this. The answer is ${second}.`);
    expect(stage.tasks).toHaveLength(2);
  });

  test("about which a person says something counts that as one intervention, however often it is read", async () => {
    const { stage, forge } = await open();
    using _ = stage;
    forge.shown = { words: [{ id: "c1", author: "ada", body: "rename it", at: 1 }] };
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(stage.of("pull-request-words")).toMatchObject([{ ids: ["c1"], people: 1 }]);
    expect(stage.state.interventions).toMatchObject([{ class: "I2", target: T1, observed: true }]);
    expect(ledgerOf(stage.state).interventions.byClass).toEqual({ I2: 1 });
  });

  test("without a check is not green", async () => {
    const { stage, forge } = await open();
    using _ = stage;
    forge.shown = { checks: [], requiredChecks: [] };
    stage.start();
    await stage.until("pull-request-read", (event) => "waits" in event && event.waits === "waits for any check to appear");
    expect(forge.merges).toBe(0);
    expect(stage.ticket(T1).attempt?.waiting).toBe("pull request #7: waits for any check to appear");
    forge.shown = {};
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
  });

  test.each([
    ["lacks an approval", { review: "approval-missing" }, /approve and merge pull request #7, whose checks have passed/],
    ["was closed by a person", { state: "closed" }, /pull request #7 was closed/],
    ["has somebody else's commits", { head: "f".repeat(40) }, /has commits that loopdash did not push/],
    ["was pointed at another base", { base: "dev" }, /was pointed at dev: set its base back to main/],
  ] as const)("that %s leaves its ticket to a person, with the step", async (_what, shown, step) => {
    const { stage, forge } = await open();
    using _ = stage;
    forge.shown = shown as FakePullRequests["shown"];
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({ phase: "human-gated", humanStep: expect.stringMatching(step) });
    expect([forge.merges, stage.tasks.length]).toEqual([0, 1]);
  });

  test("on whose branch somebody pushed before is left to a person, and nothing of theirs is overwritten", async () => {
    const { stage, forge } = await open();
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
    const { stage, forge } = await open({}, { approvals: "wait" });
    using _ = stage;
    forge.shown = { review: "approval-missing" };
    stage.start();
    await stage.until("pull-request-read", (event) => "waits" in event && event.waits === "waits for an approval");
    forge.shown = { review: "approved" };
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
  });

  test("is built and checked again when the base has moved", async () => {
    const { stage, forge } = await open();
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
    const { stage, forge } = await open({ limits: { attempts: 1, outageMinutes: 5 } });
    using _ = stage;
    forge.isAway = true;
    stage.start();
    await stage.until("outage-started", (event) => "what" in event && event.what === "forge");
    forge.isAway = false;
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(stage.ticket(T1).history).toHaveLength(1);
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
    const { stage, forge, reopen } = await open();
    using _ = stage;
    await stage.crashAt((event) => event.type === moment);
    await reopen();
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect([forge.calls.filter((call) => call.startsWith("push")).length, forge.opened, forge.merges]).toEqual([1, 1, 1]);
    expect(stage.tasks).toHaveLength(1);
    expect(stage.git("rev-list", "--count", "main")).toBe("2");
  });

  test("that was merged while no engine looked has landed", async () => {
    const { stage, forge, reopen } = await open();
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
