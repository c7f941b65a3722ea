import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import type { Repo } from "../../../src/ports/vcs.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { endless, oneFile, RUN, Stage } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const FINISH: readonly StepSpec[] = [
  { step: "gates" },
  { step: "merge" },
  { step: "verify", name: "live", command: ["true"] },
  { step: "assert" },
];
const tickets = [ticketOf("T-1", { finish: FINISH })];

const at =
  (type: RunEvent["type"], over: object = {}) =>
  (event: RunEvent) =>
    event.type === type &&
    Object.entries(over).every(([key, value]) => Object.entries(event).some(([k, v]) => k === key && v === value));

/** Where the engine is killed, and how often the agent is run in all. */
const POINTS: readonly (readonly [string, (event: RunEvent) => boolean, number])[] = [
  ["a claim", at("attempt-claimed"), 1],
  ["the worktree", at("worktree-ready"), 1],
  ["the intent to start the agent", at("agent-launching"), 2],
  ["the agent's end", at("agent-ended"), 2],
  ["the capture of its change", at("change-captured"), 1],
  ["the intent to merge, and the merge has happened", at("merge-intended"), 1],
  ["the landing", at("merge-landed"), 1],
  ["the start of verify", at("step-started", { kind: "verify" }), 1],
  ["the start of the tracker's write", at("step-started", { kind: "assert" }), 1],
  ["the end of the tracker's write", at("step-ended", { step: 3 }), 1],
  ["the end of the attempt", at("attempt-ended"), 1],
  ["the start of the re-verification", at("reverify-started"), 1],
  ["the last question to the oracle", at("oracle-asked", { final: true }), 1],
  ["the end", at("run-ended"), 1],
];

describe("an engine that is killed right after", () => {
  test.for(POINTS)("%s: the next one ends the run, and nothing is lost or doubled", async ([, point, agents]) => {
    using stage = await Stage.open({ tickets });
    await stage.crashAt(point);
    await stage.crashAndReopen();
    await stage.resume();
    const state = await stage.ended();
    expect(state.end).toMatchObject({ kind: "oracle-done", exitCode: 0, reason: "1 done" });
    expect(stage.git("log", "--format=%s", "main")).toBe("T-1 (T-1)\nfirst");
    expect(stage.git("status", "--porcelain")).toBe("");
    expect(stage.tasks).toHaveLength(agents);
    expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 0, mergedSha: stage.git("rev-parse", "main") });
    expect(stage.git("worktree", "list").split("\n")).toHaveLength(1);
    expect(state.claims.upheld).toBe(1);
    expect(state.interventions).toMatchObject([{ class: "I5", target: "run", note: "resumed" }]);
  });

  /** Where the machine goes down, with all that may wait since the last fact that may not, and how often the agent is run. */
  const WAITING: readonly (readonly [string, (event: RunEvent) => boolean, number])[] = [
    ["the worktree", at("worktree-ready"), 1],
    ["the capture of its change", at("change-captured"), 2],
    ["the start of gates", at("step-started", { kind: "gates" }), 2],
    ["the end of gates", at("step-ended", { step: 0 }), 2],
    ["the start of merge", at("step-started", { kind: "merge" }), 2],
    ["the landing", at("merge-landed"), 1],
    ["the end of merge", at("step-ended", { step: 1 }), 1],
    ["the end of verify", at("step-ended", { step: 2 }), 1],
    ["the end of the tracker's write", at("step-ended", { step: 3 }), 1],
  ];

  test.for(WAITING)(
    "%s, of which the disk knows nothing: nothing that happened is lost or doubled",
    async ([, point, agents]) => {
      using stage = await Stage.open({ tickets });
      await stage.crashAt(point);
      const last = stage.events.at(-1);
      await stage.crashAndReopen(undefined, "lose");
      expect(stage.state.seq).toBeLessThan(last?.seq ?? 0);
      // A judgement that came in between took the capture to the disk with it.
      const captured = stage.events.find((event) => event.type === "change-captured");
      const known = captured !== undefined && captured.seq <= stage.state.seq;
      await stage.resume();
      expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0, reason: "1 done" });
      expect(stage.git("log", "--format=%s", "main")).toBe("T-1 (T-1)\nfirst");
      expect(stage.git("status", "--porcelain")).toBe("");
      expect(stage.tasks).toHaveLength(known ? 1 : agents);
      expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 0, mergedSha: stage.git("rev-parse", "main") });
      expect(stage.git("worktree", "list").split("\n")).toHaveLength(1);
    },
  );

  test("the intent to merge, and nothing was merged: it is merged once", async () => {
    const neverLands = ({ repos }: LoopContext): Partial<LoopContext> => {
      const repo = repos.get("app") as Repo;
      return { repos: new Map([["app", { ...repo, land: () => Promise.reject(new Error("killed before")) }]]) };
    };
    using stage = await Stage.open({ tickets }, neverLands);
    await stage.crashAt(at("merge-intended"));
    expect(stage.git("log", "--format=%s", "main")).toBe("first");
    await stage.crashAndReopen();
    await stage.resume();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(stage.git("log", "--format=%s", "main")).toBe("T-1 (T-1)\nfirst");
    expect(stage.tasks).toHaveLength(1);
  });

  test("the intent to merge, while somebody else moves the base: the work is judged on the new base and merged once", async () => {
    using stage = await Stage.open({ tickets });
    await stage.crashAt(at("change-captured"));
    stage.git("commit", "-q", "--allow-empty", "-m", "somebody else's");
    await stage.crashAndReopen();
    await stage.resume();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(stage.git("log", "--format=%s", "main")).toBe("T-1 (T-1)\nsomebody else's\nfirst");
    expect(stage.tasks).toHaveLength(1);
  });
});

test("what a killed engine left running is ended first: agents by process and marker, and a re-verification's commands", async () => {
  const asked: unknown[] = [];
  using stage = await Stage.open({
    tickets,
    work: (task) =>
      stage.tasks.length === 1 ? (task.onStart({ pid: 4_000_000, startTime: "7" }), { ending: "aborted" }) : undefined,
  });
  await stage.crashAt(at("agent-started"));
  await stage.crashAndReopen(({ executor }) => ({
    executor: { ...executor, killStrays: (options) => (asked.push(options), Promise.resolve(3)) },
  }));
  await stage.resume();
  expect(asked).toEqual([
    {
      processes: [{ pid: 4_000_000, startTime: "7" }],
      markers: ["reverify", "T-1/1/1"].flatMap((one) =>
        ["", "/base", "/proof", "/new-tests", "/trial"].map((of) => `${RUN}/${one}${of}`),
      ),
    },
  ]);
  expect(stage.of("run-resumed")).toMatchObject([{ orphansKilled: 3 }]);
  expect(stage.of("attempt-ended")).toMatchObject([{ outcome: "lost" }]);
  await stage.ended();
});

test("a run whose journal could not be written is resumed by itself: no intervention is counted, and its work is kept", async () => {
  using stage = await Stage.open({
    tickets,
    work: (task) => {
      if (stage.tasks.length > 1) return oneFile(task);
      writeFileSync(join(task.worktree, "half.txt"), "half");
      return endless(task);
    },
  });
  stage.start();
  await stage.until("agent-started");
  stage.engine.orchestrator.fail(new Error("the disk is full"));
  await stage.engine.performer.idle();
  await stage.crashAndReopen();
  await stage.resume("engine");
  const state = await stage.ended();
  expect(state).toMatchObject({ end: { exitCode: 0 }, interventions: [], resumes: 1 });
  expect(stage.of("run-resumed")).toMatchObject([{ by: "engine" }]);
  expect(stage.of("work-kept")).toMatchObject([{ files: 1 }]);
});

test("a verify command that a killed engine left behind is really ended", async () => {
  using stage = await Stage.open({ tickets });
  const env = { PATH: process.env["PATH"] ?? "", LOOPDASH_FENCE: `${RUN}/reverify` };
  const orphan = spawn("sleep", ["600"], { env, detached: true, stdio: "ignore" });
  onTestFinished(() => void orphan.kill("SIGKILL"));
  const gone = once(orphan, "exit");
  await once(orphan, "spawn");
  await stage.resume();
  expect(await gone).toEqual([null, "SIGKILL"]);
  expect(stage.of("run-resumed")).toMatchObject([{ orphansKilled: 1 }]);
  await stage.ended();
});

test("a failure to look at the repository stops the taking over: nothing is guessed", async () => {
  using stage = await Stage.open({ tickets });
  await stage.crashAt(at("merge-intended"));
  await stage.crashAndReopen(({ repos }) => {
    const repo = repos.get("app") as Repo;
    return { repos: new Map([["app", { ...repo, contains: () => Promise.reject(new Error("no git")) }]]) };
  });
  await expect(stage.resume()).rejects.toThrow("no git");
  expect(stage.types()).not.toContain("attempt-ended");
});
