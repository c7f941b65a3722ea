import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, Stage, type StageOptions } from "./stage.ts";

cleanUp();
const [T1, T2, T3, T4] = ["T-1", "T-2", "T-3", "T-4"].map((name) => TicketId.parse(name)) as [
  TicketId,
  TicketId,
  TicketId,
  TicketId,
];

const there = (file: string) => expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);

/**
 * T-1 lands with a check that fails where there is a file T-2.txt. T-2 lands that file without a check. T-3 and T-4 have the check,
 * and T-4's agent ends once `go` exists. Each run of the check leaves its commit's files in a log.
 */
async function scene(over: Partial<StageOptions> = {}) {
  const folder = tempDir();
  const [go, log] = [join(folder, "go"), join(folder, "log")];
  const script = 'echo "$(ls *.txt | tr "\\n" " ")" >> "$0"; test ! -e T-2.txt -o -e mended';
  const check: StepSpec = { step: "check", name: "tests", command: ["sh", "-c", script, log], canary: "off" };
  const finish: StepSpec[] = [check, { step: "merge" }, { step: "assert" }];
  const stage = await Stage.open({
    tickets: [
      ticketOf("T-1", { finish }),
      ticketOf("T-2", { dependsOn: [T1] }),
      ticketOf("T-3", { finish, dependsOn: [T2] }),
      ticketOf("T-4", { finish, dependsOn: [T2] }),
      ticketOf("T-5", { dependsOn: [T2] }),
    ],
    limits: { workers: 3, attempts: 1 },
    work: async (task) => {
      if (task.ticket === T4 || task.ticket === "T-5") await there(go);
      return oneFile(task);
    },
    ...over,
  });
  const runsOnBase = () =>
    (existsSync(log) ? readFileSync(log, "utf8").split("\n") : []).filter((line) => line.includes("T-2") && !/T-[345]/.test(line))
      .length;
  return { stage, go: () => writeFileSync(go, ""), runsOnBase };
}

const endOf = (id: TicketId) => (event: { type: string; ticket?: TicketId }) =>
  event.type === "attempt-ended" && event.ticket === id;

describe("a check that fails on the base too, without the change", () => {
  test("breaks the base: what landed last is suspected, and no attempt is lost", async () => {
    const { stage: opened, go, runsOnBase } = await scene();
    using stage = opened;
    stage.start();
    await stage.until("attempt-ended", endOf(T3));
    const sha = stage.ticket(T2).mergedSha;
    expect(stage.state.brokenBases).toMatchObject({ app: { cause: "check", sha, ticket: T2, step: "tests" } });
    expect(stage.ticket(T3)).toMatchObject({ phase: "waiting", failures: 0, history: [{ outcome: "stopped" }] });
    go();
    const state = await stage.ended();
    expect(state.end).toMatchObject({ exitCode: 1, reason: expect.stringContaining("the base of app is broken") });
    const others = state.end === undefined ? [] : stage.of("merge-landed").map(({ ticket }) => ticket);
    expect(others).toEqual([T1, T2]);
    expect(stage.ticket(T4)).toMatchObject({ failures: 0, history: [{ outcome: "stopped" }] });
    // Once for all attempts on that tip, and once more before the run ends.
    expect(runsOnBase()).toBe(2);
    expect(state.incidents).toMatchObject([{ kind: "broken-base", repo: "app", summary: expect.stringContaining("T-2") }]);
  });

  test("is excused by an engine that did not see it pass before", async () => {
    const { stage: opened, go } = await scene();
    using stage = opened;
    await stage.crashAt((event) => event.type === "merge-landed" && event.ticket === T2);
    await stage.crashAndReopen();
    await stage.resume();
    await stage.until("attempt-ended", endOf(T3));
    go();
    const state = await stage.ended();
    expect(stage.state.brokenBases).toMatchObject({ app: { cause: "check", ticket: T2, step: "tests" } });
    for (const id of [T3, T4]) expect(stage.ticket(id), id).toMatchObject({ phase: "waiting", failures: 0 });
    expect(state.end).toMatchObject({ exitCode: 1, reason: expect.stringContaining("the base of app is broken") });
  });

  test("freezes others until it passes on the tip again; then what waited lands without another agent", async () => {
    const { stage: opened, go } = await scene();
    using stage = opened;
    stage.start();
    await stage.until("attempt-ended", endOf(T3));
    writeFileSync(join(stage.user, "mended"), "");
    stage.git("add", "mended");
    stage.git("commit", "-qm", "repair");
    await stage.engine.performer.pollPeople();
    await stage.until("base-check-ended", (event) => event.type === "base-check-ended" && event.ok);
    expect(stage.state.brokenBases).toEqual({});
    go();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.tasks.filter(({ ticket }) => ticket === T3)).toHaveLength(1);
    for (const id of [T3, T4]) expect(stage.ticket(id)).toMatchObject({ phase: "done", failures: 0 });
    expect(state.incidents).toMatchObject([{ kind: "broken-base", endedAt: expect.any(Number) }]);
  });

  test("is repaired by a change that passes it", async () => {
    const { stage: opened, go } = await scene({
      work: (task) => {
        if (task.ticket === T4) rmSync(join(task.worktree, "T-2.txt"));
        return oneFile(task);
      },
    });
    using stage = opened;
    go();
    stage.start();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    for (const { id, failures } of [T3, T4].map((each) => stage.ticket(each))) expect(failures, id).toBe(0);
  });

  test("counts against the attempt if the base passes: the change is at fault", async () => {
    const check: StepSpec = { step: "check", name: "tests", command: ["sh", "-c", "test ! -e T-3.txt"], canary: "off" };
    const finish: StepSpec[] = [check, { step: "merge" }, { step: "assert" }];
    const tickets = [
      ticketOf("T-1", { finish }),
      ticketOf("T-2", { dependsOn: [T1] }),
      ticketOf("T-3", { finish, dependsOn: [T2] }),
    ];
    const { stage: opened } = await scene({ tickets });
    using stage = opened;
    stage.start();
    const state = await stage.ended();
    expect(stage.ticket(T3)).toMatchObject({ phase: "stalled", failures: 1, history: [{ outcome: "failed" }] });
    expect(stage.of("base-check-ended")).toEqual([]);
    expect(state.brokenBases).toEqual({});
  });

  test("counts against the attempt if it never passed on this base: the base was red before the run", async () => {
    const check: StepSpec = { step: "check", name: "tests", command: ["false"], canary: "off" };
    const { stage: opened } = await scene({
      tickets: [ticketOf("T-1", { finish: [check, { step: "merge" }, { step: "assert" }] })],
    });
    using stage = opened;
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", failures: 1 });
    expect(stage.of("base-check-ended")).toEqual([]);
  });
});
