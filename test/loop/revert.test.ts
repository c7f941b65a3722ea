import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { underContract } from "./contract-stage.ts";
import { oneFile, Stage, type StageOptions } from "./stage.ts";

cleanUp();
const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

const there = (file: string) => expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);

/**
 * The live check fails while the base holds the first version of T-1's file. The agent of T-2 waits for a file `go`; T-3 depends on
 * T-1. `second`: the agent of T-1's next attempt writes this.
 */
async function scene({
  check,
  second = "good\n",
  ...over
}: Partial<StageOptions> & { readonly check?: string; readonly second?: string } = {}) {
  const go = join(tempDir(), "go");
  const command = ["sh", "-c", "test ! -e T-1.txt || ! grep bad T-1.txt"] as const;
  const live: StepSpec = { step: "verify", name: "live", command: [...command] };
  const checks: StepSpec[] =
    check === undefined ? [] : [{ step: "check", name: "tests", command: ["sh", "-c", check], canary: "off" }];
  const finish: StepSpec[] = [{ step: "gates" }, ...checks, { step: "merge" }, live, { step: "assert" }];
  const prompts: string[] = [];
  const stage = await Stage.open({
    tickets: [ticketOf("T-1", { finish }), ticketOf("T-2"), ticketOf("T-3", { dependsOn: [T1] })],
    limits: { workers: 3, attempts: 3 },
    live: { repeats: 1, everySeconds: 0.1 },
    onBroken: "revert",
    work: async (task) => {
      if (task.ticket !== T1) {
        if (task.ticket === T2) await there(go);
        return oneFile(task);
      }
      prompts.push(readFileSync(task.promptFile, "utf8"));
      writeFileSync(join(task.worktree, "T-1.txt"), task.attempt === 1 ? "bad\n" : second);
      return undefined;
    },
    ...over,
  });
  return { stage, prompts, go: () => writeFileSync(go, "") };
}

const isOf = (type: RunEvent["type"]) => (event: RunEvent) => event.type === type;

describe("a landed change whose live checks keep failing", () => {
  test("is reverted, its ticket is open again with the evidence, and the base is whole", async () => {
    const { stage: opened, prompts, go } = await scene();
    using stage = opened;
    stage.start();
    await stage.until("revert-ended");
    const { from = "", to = "" } = stage.of("revert-landed")[0] ?? {};
    const [landed] = stage.of("merge-landed");
    expect(stage.git("diff", "--stat", landed?.from ?? "", to)).toBe("");
    expect(from).toBe(landed?.to);
    expect(stage.git("log", "-1", "--format=%B", to)).toContain(`This reverts commit ${landed?.to}`);
    go();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 1, reverted: { sha: landed?.to, by: to } });
    expect(stage.ticket(T1).history.map(({ outcome }) => outcome)).toEqual(["landed", "done"]);
    expect(readFileSync(join(stage.user, "T-1.txt"), "utf8")).toBe("good\n");
    expect(prompts[1]).toContain("What had landed and was reverted");
    expect(prompts[1]).toContain((landed?.to ?? "?").slice(0, 12));
    expect(prompts[1]).toContain("2 live checks in a row failed");
    expect(prompts[1]).toMatch(/^Who wrote ticket T-1 .*\n\nT-1 T-1 \(no description\) 2 3 /);
    expect(state.incidents).toMatchObject([
      { kind: "live-check", ticket: T1, endedAt: expect.any(Number) },
      { kind: "broken-base", endedAt: expect.any(Number), summary: expect.stringContaining(`reverted by ${to.slice(0, 7)}`) },
    ]);
    expect(state.interventions).toEqual([]);
  });

  test("is reverted though its contract's criteria hold only with it", async () => {
    const live: StepSpec = { step: "verify", name: "live", command: ["sh", "-c", "! grep bad T-1.txt"] };
    const finish: StepSpec[] = [{ step: "gates" }, { step: "merge" }, live, { step: "assert" }];
    const front = "criteria: [{name: there, command: [test, -e, T-1.txt]}]";
    const tickets = [ticketOf("T-1", underContract(front, { finish })), ticketOf("T-2"), ticketOf("T-3", { dependsOn: [T1] })];
    const { stage: opened, go } = await scene({ tickets });
    using stage = opened;
    stage.start();
    expect(await stage.until("revert-ended")).toMatchObject({ ok: true });
    go();
    expect((await stage.ended()).end?.exitCode).toBe(0);
  });

  test("is not reverted at its first failure: the repeats come first, and one that passes settles it", async () => {
    const up = join(tempDir(), "up");
    const finish: StepSpec[] = [
      { step: "merge" },
      { step: "verify", name: "live", command: ["test", "-e", up] },
      { step: "assert" },
    ];
    const { stage: opened, go } = await scene({
      tickets: [ticketOf("T-1", { finish }), ticketOf("T-2"), ticketOf("T-3", { dependsOn: [T1] })],
      live: { repeats: 3, everySeconds: 300 },
    });
    using stage = opened;
    go();
    stage.start();
    await stage.until("attempt-ended", (event) => event.type === "attempt-ended" && event.ticket === T1);
    writeFileSync(up, "");
    stage.engine.orchestrator.command({ type: "verify" });
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.of("revert-started")).toEqual([]);
  });

  test("keeps what a person has put on top of it", async () => {
    const { stage: opened, go } = await scene();
    using stage = opened;
    go();
    await stage.crashAt((event) => event.type === "attempt-ended" && event.ticket === T1);
    writeFileSync(join(stage.user, "theirs.txt"), "theirs\n");
    stage.git("add", "theirs.txt");
    stage.git("commit", "-m", "theirs");
    await stage.crashAndReopen();
    await stage.resume();
    await stage.until("revert-ended");
    expect(readFileSync(join(stage.user, "theirs.txt"), "utf8")).toBe("theirs\n");
    expect(stage.git("ls-tree", "--name-only", stage.of("revert-landed")[0]?.to ?? "")).toContain("theirs.txt");
    expect((await stage.ended()).end?.exitCode).toBe(0);
  });

  test("freezes the base if its revert conflicts, and an agent repairs it", async () => {
    const { stage: opened, go } = await scene();
    using stage = opened;
    go();
    await stage.crashAt((event) => event.type === "attempt-ended" && event.ticket === T1);
    writeFileSync(join(stage.user, "T-1.txt"), "bad, and edited\n");
    stage.git("commit", "-am", "edited");
    await stage.crashAndReopen();
    await stage.resume();
    const state = await stage.ended();
    expect(stage.of("revert-failed")[0]?.reason).toContain("conflicts with later changes in T-1.txt");
    expect(stage.of("revert-intended")).toEqual([]);
    expect(state.end?.exitCode).toBe(0);
    expect(stage.ticket(T1).history.map(({ outcome }) => outcome)).toEqual(["landed", "done"]);
  });

  test("freezes the base if a check fails without it", async () => {
    // The check passes with any version of the file and fails without the file.
    const { stage: opened, go } = await scene({ check: "test -e T-1.txt" });
    using stage = opened;
    go();
    stage.start();
    const state = await stage.ended();
    expect(stage.of("revert-failed")[0]?.reason).toContain("check tests fails without the change");
    expect(stage.of("revert-intended")).toEqual([]);
    expect(state.end?.exitCode).toBe(0);
  });

  test("is reverted though that brings back what no agent may add", async () => {
    const { stage: opened, go } = await scene({
      check: "true",
      work: (task) => {
        if (task.ticket !== T1) return oneFile(task);
        writeFileSync(join(task.worktree, "old.js"), "export const a = 1;\n");
        writeFileSync(join(task.worktree, "T-1.txt"), task.attempt === 1 ? "bad\n" : "good\n");
        return undefined;
      },
    });
    using stage = opened;
    writeFileSync(join(stage.user, "old.js"), "// eslint-disable-next-line\nexport const a = 1;\n");
    stage.git("add", "old.js");
    stage.git("commit", "-m", "old");
    go();
    stage.start();
    const state = await stage.ended();
    expect(stage.of("revert-failed")).toEqual([]);
    expect(stage.of("revert-ended")).toHaveLength(1);
    expect(state.end?.exitCode).toBe(0);
  });
});

describe("an engine that is lost during a revert", () => {
  for (const [type, name] of [
    ["revert-started", "before it builds the revert: the change is reverted once"],
    ["revert-intended", "before the revert lands: the change is reverted once"],
    ["revert-landed", "after the revert has landed: the change is reverted once"],
  ] as const)
    test(name, async () => {
      const { stage: opened, go } = await scene();
      using stage = opened;
      go();
      await stage.crashAt(isOf(type));
      await stage.crashAndReopen();
      await stage.resume();
      const state = await stage.ended();
      expect(state.end?.exitCode).toBe(0);
      expect(stage.git("log", "--format=%s", "main").match(/^Revert/gm)).toHaveLength(1);
      expect(stage.of("revert-ended")).toMatchObject([{ ok: true }]);
      expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 1 });
      expect(stage.ticket(T3).phase).toBe("done");
    });

  test("and a person's request for live checks says nothing about a change that the base no longer holds", async () => {
    const { stage: opened, go } = await scene();
    using stage = opened;
    go();
    await stage.crashAt(isOf("revert-landed"));
    await stage.crashAndReopen();
    stage.engine.orchestrator.command({ type: "verify" });
    await stage.resume();
    const state = await stage.ended();
    expect(stage.of("revert-ended")).toHaveLength(1);
    expect(state.end?.exitCode).toBe(0);
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).toContain("T-1.txt");
  });
});
