import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { HumanStep } from "../../../src/domain/run/command.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { keptBranch } from "../../../src/domain/run/kept-work.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import type { AgentTask } from "../../../src/ports/agent.ts";
import type { Repo } from "../../../src/ports/vcs.ts";
import { cleanUp, git, write } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { endless, oneFile, RUN, Stage, type StageOptions } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const one = [ticketOf("T-1")];
const isType = (type: RunEvent["type"]) => (event: RunEvent) => event.type === type;

/** An agent that leaves one file and one commit, and goes on until it is cancelled. */
const half = (task: AgentTask) => {
  write(task.worktree, "committed.txt", "one\n");
  git(task.worktree, "add", "-A");
  git(task.worktree, "commit", "-q", "-m", "a first step");
  write(task.worktree, "half.txt", `attempt ${task.attempt}\n`);
  return endless(task);
};

/** A run whose first attempt has begun; later ones leave one file. */
async function begun(
  first: NonNullable<StageOptions["work"]> = half,
  change?: (ctx: LoopContext) => Partial<LoopContext>,
): Promise<Stage> {
  const options: StageOptions = {
    tickets: one,
    limits: { attempts: 2 },
    work: (task) => (task.attempt === 1 ? first(task) : oneFile(task)),
  };
  const stage = await Stage.open(options, change);
  onTestFinished(() => stage[Symbol.dispose]());
  stage.start();
  await stage.until("agent-started");
  return stage;
}

const branches = (stage: Stage) => stage.git("branch", "--list", "--format=%(refname:short)", "loopdash/*").split("\n");

describe("uncommitted work of an agent that is cut off", () => {
  const kept = keptBranch(RUN, T1, 1);

  function expectKept(stage: Stage): void {
    expect(stage.of("work-kept")).toMatchObject([{ ticket: T1, branch: kept, files: 2 }]);
    expect(stage.of("work-kept")[0]?.sha).toBe(stage.git("rev-parse", kept));
    expect(stage.git("show", `${kept}:half.txt`)).toBe("attempt 1");
    expect(stage.git("show", `${kept}:committed.txt`)).toBe("one");
    expect(stage.ticket(T1).history[0]?.kept).toMatchObject({ branch: kept, files: 2 });
    expect(existsSync(join(stage.root, "worktrees/T-1-1"))).toBe(false);
    const types = stage.types();
    expect(types.indexOf("work-kept")).toBeLessThan(types.indexOf("attempt-ended"));
  }

  test("killed by a person (x): it is on a branch that the next attempt leaves alone, and that attempt gets its patch", async () => {
    const stage = await begun();
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expectKept(stage);
    expect(branches(stage)).toEqual([kept]);
    expect(readFileSync(join(stage.root, "run/tickets/T-1/attempt-1/change.patch"), "utf8")).toContain("half.txt");
    expect(readFileSync(stage.tasks[1]?.promptFile ?? "", "utf8")).toContain("attempt-1/change.patch");
  });

  test("gated by a person (g): the tracker's note names the branch", async () => {
    const notes: string[] = [];
    const stage = await begun(half, ({ tracker }) => ({
      tracker: { ...tracker, set: (id, state, note) => (notes.push(note), tracker.set(id, state, note)) },
    }));
    stage.engine.orchestrator.command({ type: "gate", ticket: T1, step: HumanStep.parse("press the button") });
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "0 done, 1 left to a person" });
    expectKept(stage);
    expect(notes.join("\n")).toContain(`attempt 1: work kept on ${kept} (2 files)`);
  });

  test("stopped by Ctrl-C: it is kept before the run ends, and the next engine starts afresh beside it", async () => {
    const stage = await begun();
    stage.engine.orchestrator.stop("SIGINT");
    expect((await stage.ended()).end).toMatchObject({ kind: "interrupted", exitCode: 130 });
    expectKept(stage);
    await stage.crashAndReopen();
    await stage.resume();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(stage.git("show", `${kept}:half.txt`)).toBe("attempt 1");
  });

  test.for([
    ["silent", { ending: "silent", exitCode: null }],
    ["out of time", { ending: "out-of-time", exitCode: null }],
    ["over its quota", { ending: "over-quota", exitCode: null }],
    ["turned away by its model's API", { stop: { kind: "turns", says: "no turns left" } }],
    ["ended by a signal", { exitCode: null, signal: "SIGSEGV" }],
  ] as const)("%s", async ([, result]) => {
    using stage = await Stage.open({
      tickets: one,
      limits: { attempts: 1 },
      work: (task) => (write(task.worktree, "half.txt", "attempt 1\n"), result),
    });
    stage.start();
    await stage.ended();
    expect(stage.of("work-kept")).toMatchObject([{ branch: kept, files: 1 }]);
    expect(stage.git("show", `${kept}:half.txt`)).toBe("attempt 1");
    expect(branches(stage)).toEqual([kept]);
  });

  test("killed on the finish line: what was captured is kept", async () => {
    const finish: StepSpec[] = [{ step: "check", name: "slow", command: ["sleep", "600"] }, { step: "merge" }];
    using stage = await Stage.open({ tickets: [ticketOf("T-1", { finish })], limits: { attempts: 1 } });
    stage.start();
    await stage.until("step-started");
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    await stage.ended();
    expect(stage.of("work-kept")).toMatchObject([{ branch: kept, files: 1, sha: stage.of("change-captured")[0]?.tip }]);
    expect(branches(stage)).toEqual([kept]);
  });

  test("nothing changed: there is no branch, and nothing is told", async () => {
    const stage = await begun(endless);
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    await stage.ended();
    expect(stage.of("work-kept")).toEqual([]);
    expect(stage.of("work-not-kept")).toEqual([]);
    expect(branches(stage)).toEqual([""]);
  });
});

describe("work of a running agent whose engine is gone", () => {
  /** The first engine, once it is dead, touches neither branches nor worktrees. */
  const deadTouchesNothing =
    (stage: () => Stage) =>
    ({ repos, files }: LoopContext): Partial<LoopContext> => {
      const repo = repos.get("app") as Repo;
      const alive =
        <A extends unknown[], T>(act: (...args: A) => Promise<T>) =>
        (...args: A): Promise<T> =>
          stage().engine.dead ? Promise.reject(new Error("the engine is dead")) : act(...args);
      const { capture, keepBranch, removeWorktree } = repo;
      const dying = { capture: alive(capture), keepBranch: alive(keepBranch), removeWorktree: alive(removeWorktree) };
      return {
        files: { ...files, setAside: alive(files.setAside) },
        repos: new Map([["app", { ...repo, ...dying }]]),
      };
    };

  test.for([
    ["while the agent works", "agent-started", undefined],
    ["between the fact and the branch", "work-kept", { type: "kill", ticket: T1 }],
  ] as const)("%s: the next engine keeps it before it removes the worktree", async ([, type, command]) => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    let stage: Stage | undefined;
    stage = await Stage.open(
      { tickets: one, work: (task) => (task.attempt === 1 ? half(task) : oneFile(task)) },
      deadTouchesNothing(() => stage as Stage),
    );
    onTestFinished(() => stage?.[Symbol.dispose]());
    const crashed = stage.crashAt(isType(type));
    if (command !== undefined) {
      await stage.until("agent-started");
      stage.engine.orchestrator.command(command);
    }
    await crashed;
    const kept = keptBranch(RUN, T1, 1);
    expect(stage.git("branch", "--list", kept)).toBe("");
    await stage.crashAndReopen();
    await stage.resume();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(stage.git("show", `${kept}:half.txt`)).toBe("attempt 1");
    expect(stage.git("rev-parse", kept)).toBe(stage.of("work-kept")[0]?.sha);
    expect(stage.of("work-kept")).toHaveLength(1);
    expect(stage.ticket(T1).history).toMatchObject([{ outcome: "lost", kept: { branch: kept } }, { outcome: "done" }]);
    expect(existsSync(join(stage.root, "worktrees/T-1-1"))).toBe(false);
  });
});

describe("a worktree that cannot be captured", () => {
  const HOSTILE: readonly (readonly [string, (task: AgentTask) => void, RegExp])[] = [
    [
      "a pipe in the place of its ignore rules",
      ({ worktree }) => {
        rmSync(join(worktree, ".gitignore"));
        execFileSync("mkfifo", [join(worktree, ".gitignore")]);
      },
      /could not be captured/,
    ],
    [
      "a link in the place of the worktree",
      ({ worktree }) => {
        rmSync(worktree, { recursive: true });
        symlinkSync("/etc", worktree);
      },
      /there is no worktree/,
    ],
  ];

  test.for(HOSTILE)("%s: the journal tells so, and the run continues", async ([, spoil, why]) => {
    const stage = await begun((task) => {
      writeFileSync(join(task.worktree, "half.txt"), "half\n");
      spoil(task);
      return endless(task);
    });
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(stage.of("work-kept")).toEqual([]);
    expect(stage.of("work-not-kept")).toMatchObject([{ ticket: T1, why: expect.stringMatching(why) }]);
    expect(stage.ticket(T1).history[0]?.notKept).toMatch(why);
    expect(branches(stage)).toEqual([""]);
  });

  test("a branch that cannot be made is not named as kept", async () => {
    const stage = await begun(half, ({ repos }) => {
      const repo = repos.get("app") as Repo;
      return { repos: new Map([["app", { ...repo, keepBranch: () => Promise.reject(new Error("the disk is full")) }]]) };
    });
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    await stage.ended();
    expect(stage.ticket(T1).history[0]).toMatchObject({ notKept: "the disk is full" });
    expect(stage.ticket(T1).history[0]?.kept).toBeUndefined();
  });
});
