import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { Tracker, TrackerWrite } from "../../src/ports/tracker.ts";
import type { Repo } from "../../src/ports/vcs.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Stage } from "./stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const T2 = TicketId.parse("T-2");

test("a ticket goes its whole way, and every effect is announced before it", async () => {
  using stage = await Stage.open({
    tickets: [ticketOf("T-1", { finish: [{ step: "gates" }, { step: "merge" }, { step: "assert" }] })],
  });
  stage.start();
  const state = await stage.ended();
  expect(state.end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
  expect(
    stage.types().filter((type) => !/^(?:oracle|tripwire)-|^(?:tracker-read|fingerprints-recorded|attempt-bundled)$/.test(type)),
  ).toEqual([
    "run-started",
    "attempt-claimed",
    "worktree-ready",
    "agent-launching",
    "agent-ended",
    "change-captured",
    "signals-changed",
    "step-started",
    "step-ended",
    "step-started",
    "merge-intended",
    "merge-landed",
    "step-ended",
    "step-started",
    "tracker-writing",
    "tracker-written",
    "step-ended",
    "attempt-ended",
    "reverify-started",
    "reverify-ended",
    "run-ended",
  ]);
  expect(stage.git("show", "main:T-1.txt")).toBe("1");
  expect(existsSync(join(stage.root, "worktrees", "T-1-1"))).toBe(false);
  expect(stage.git("branch", "--list", "loopdash/*")).toBe("");
});

/** Does something each time a re-verification begins, before it looks at the base. */
function onReverify(act: () => void) {
  return ({ repos }: LoopContext): Partial<LoopContext> => {
    const repo = repos.get("app") as Repo;
    const missingFromBase = (commits: readonly string[]) => {
      act();
      return repo.missingFromBase(commits);
    };
    return { repos: new Map([["app", { ...repo, missingFromBase }]]) };
  };
}

/** A finish line whose verify command asks whether a file outside is there. */
function finishWith(file: string): readonly StepSpec[] {
  return [{ step: "merge" }, { step: "verify", name: "live", command: ["test", "-e", file] }, { step: "assert" }];
}

describe("the last re-verification", () => {
  test("a ticket that is found broken and cannot be mended is not done, whatever the tracker was told before", async () => {
    const live = join(tempDir(), "live");
    writeFileSync(live, "");
    const tickets = [ticketOf("T-1", { finish: finishWith(live) })];
    using stage = await Stage.open(
      { tickets, limits: { attempts: 1 } },
      onReverify(() => rmSync(live, { force: true })),
    );
    stage.start();
    const state = await stage.ended();
    expect(stage.of("ticket-reopened")).toHaveLength(1);
    expect(stage.ticket(T1)).toMatchObject({ phase: "landed", live: { reopened: 1 } });
    expect(state.end).toMatchObject({ kind: "not-done", exitCode: 1 });
    expect((await stage.tracker().snapshot())[0]?.state.as).toBe("open");
  });

  test("a ticket that is gone from the base and whose two live checks fail is reopened once, and its dependents go on", async () => {
    const live = join(tempDir(), "live");
    writeFileSync(live, "");
    const again = { step: "verify", name: "again", command: ["cat", live] } as const;
    const finish = [{ step: "merge" } as const, again, ...finishWith(live).slice(1)];
    let looks = 0;
    using stage = await Stage.open(
      { tickets: [ticketOf("T-1", { finish }), ticketOf("T-2", { dependsOn: [T1] })] },
      onReverify(() => {
        looks += 1;
        if (looks > 1) return;
        rmSync(live);
        stage.git("reset", "-q", "--hard", stage.git("rev-list", "--max-parents=0", "main"));
      }),
    );
    void stage.until("reverify-ended").then(() => writeFileSync(live, ""));
    stage.start();
    const state = await stage.ended();
    expect(stage.of("ticket-reopened").map((e) => e.ticket)).toEqual([T1, T2]);
    expect(stage.of("reverify-ended").map((e) => e.reopened)).toEqual([2, 0]);
    expect(state.end).toMatchObject({ exitCode: 0, reason: "2 done" });
    expect(stage.ticket(T2).openDeps).toBe(0);
    expect(stage.git("show", "main:T-1.txt")).toBe("2");
  });

  test("a tracker that cannot be told of a reopened ticket: never exit 0", async () => {
    const live = join(tempDir(), "live");
    writeFileSync(live, "");
    using stage = await Stage.open({ tickets: [ticketOf("T-1", { finish: finishWith(live) })] }, (ctx) => ({
      ...onReverify(() => rmSync(live, { force: true }))(ctx),
      clock: { ...ctx.clock, after: (_, then) => ctx.clock.after(0, then) },
      tracker: {
        ...ctx.tracker,
        set: (id, to, note) => (to.as === "open" ? Promise.reject(new Error("read-only now")) : ctx.tracker.set(id, to, note)),
      },
    }));
    stage.start();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(3);
    expect(state.end?.reason).toContain("read-only now");
  });

  test("one that cannot be finished never ends in exit 0, and the oracle is not asked", async () => {
    const fail = onReverify(() => {
      throw new Error("git is gone");
    });
    using stage = await Stage.open({ tickets: [ticketOf("T-1")] }, fail);
    stage.start();
    const state = await stage.ended();
    expect(stage.of("oracle-judged").filter((event) => event.final)).toEqual([]);
    expect(state.end).toMatchObject({ kind: "unjudged", exitCode: 3 });
    expect(state.end?.reason).toMatch(/^the last re-verification failed: git is gone /);
  });

  test("a tracker that forgot is told again", async () => {
    using stage = await Stage.open({ tickets: [ticketOf("T-1")] }, ({ tracker }) => ({
      tracker: {
        ...tracker,
        set: (id, to, note, from) => (note.startsWith("landed") ? says(tracker) : tracker.set(id, to, note, from)),
      },
    }));
    stage.start();
    const state = await stage.ended();
    expect(state.end).toMatchObject({ exitCode: 0, reason: "1 done" });
    expect(state.interventions).toEqual([]);
  });
});

/** A tracker that says that it took a write. */
async function says(tracker: Tracker): Promise<TrackerWrite> {
  return { before: (await tracker.snapshot())[0]?.revision ?? "", after: "written" };
}

test("evidence and change of a failed try reach the next prompt", async () => {
  const finish: StepSpec[] = [
    { step: "check", name: "unit", command: ["sh", "-c", "cat T-1.txt; grep -q 2 T-1.txt"] },
    { step: "merge" },
  ];
  using stage = await Stage.open({ tickets: [ticketOf("T-1", { finish })] });
  stage.start();
  expect((await stage.ended()).end?.exitCode).toBe(0);
  const prompt = readFileSync(stage.tasks[1]?.promptFile ?? "", "utf8");
  expect(prompt).toContain('check "unit" failed: sh -c cat T-1.txt; grep -q 2 T-1.txt exited with code 1\n```text\n1\n```');
  const patch = /for reading only: (\S+)/.exec(prompt)?.[1] ?? "";
  expect(readFileSync(patch, "utf8")).toContain("+++ b/T-1.txt");
});
