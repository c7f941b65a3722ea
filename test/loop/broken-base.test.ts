import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, Stage, type StageOptions } from "./stage.ts";

cleanUp();
const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

/** Settles once a file is there. */
const there = (file: string) => expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);

/** The first ticket's `verify` passes while `up` exists; the agents of the others wait for a file `go`. */
async function scene(options: Partial<StageOptions> & { exclusive?: readonly string[]; fix?: boolean } = {}) {
  const folder = tempDir();
  const [up, go] = [join(folder, "up"), join(folder, "go")];
  const { exclusive = [], fix = false, ...rest } = options;
  const live: StepSpec = {
    step: "verify",
    name: "live",
    command: ["sh", "-c", `test -e "$0" ${fix ? "|| test -e fixed" : ""}`, up],
  };
  const finish: StepSpec[] = [{ step: "merge" }, live, { step: "assert" }];
  const stage = await Stage.open({
    tickets: [ticketOf("T-1", { finish, exclusive }), ticketOf("T-2", { exclusive }), ticketOf("T-3")],
    limits: { workers: 3, attempts: 2 },
    live: { repeats: 3, everySeconds: 300 },
    work: async (task) => {
      if (task.ticket !== T1) await there(go);
      if (fix && task.ticket === T1 && task.attempt > 1) writeFileSync(join(task.worktree, "fixed"), "");
      return oneFile(task);
    },
    ...rest,
  });
  return { stage, up: () => writeFileSync(up, ""), down: () => rmSync(up), go: () => writeFileSync(go, "") };
}

describe("while a landed change is not live", () => {
  test("nothing else lands on its base, agents keep working, and the reason names the suspected commit", async () => {
    const { stage: opened, go, up } = await scene();
    using stage = opened;
    stage.start();
    await stage.until("attempt-ended");
    go();
    await stage.until("merge-waiting");
    for (const id of [T2, T3]) await stage.until("change-captured", (e) => e.type === "change-captured" && e.ticket === id);
    const sha = stage.ticket(T1).mergedSha ?? "";
    expect(stage.of("merge-waiting")[0]?.reason).toContain(`${sha.slice(0, 7)} of T-1). live:`);
    expect(stage.of("merge-intended").map(({ ticket }) => ticket)).toEqual([T1]);
    expect(stage.state.brokenBases).toMatchObject({ app: { sha, ticket: T1, step: "live" } });
    up();
    stage.engine.orchestrator.command({ type: "verify" });
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(state.brokenBases).toEqual({});
    expect(stage.tasks).toHaveLength(3);
    for (const id of [T2, T3])
      expect(stage.ticket(id)).toMatchObject({ phase: "done", failures: 0, history: [{ outcome: "done" }] });
    expect(state.incidents).toMatchObject([
      { kind: "live-check", ticket: T1, endedAt: expect.any(Number) },
      { kind: "broken-base", repo: "app", endedAt: expect.any(Number), summary: expect.stringContaining("T-1") },
    ]);
  });

  test("others land all the same if the batch says so, and it is an incident", async () => {
    const { stage: opened, go, up } = await scene({ onBroken: "continue" });
    using stage = opened;
    stage.start();
    await stage.until("attempt-ended");
    go();
    await stage.until("attempt-ended", (event) => event.type === "attempt-ended" && event.ticket === T3);
    await stage.until("attempt-ended", (event) => event.type === "attempt-ended" && event.ticket === T2);
    expect(stage.state.brokenBases).toMatchObject({ app: { ticket: T1 } });
    up();
    stage.engine.orchestrator.command({ type: "verify" });
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.of("merge-waiting")).toEqual([]);
    expect(state.incidents.map(({ kind }) => kind)).toContain("broken-base");
  });

  test("its own repair by an agent lands, past those that wait, and frees them", async () => {
    const { stage: opened, go } = await scene({
      fix: true,
      live: { repeats: 0, everySeconds: 0.1 },
      limits: { workers: 1, attempts: 2 },
    });
    using stage = opened;
    go();
    stage.start();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.ticket(T1).history.map(({ outcome }) => outcome)).toEqual(["landed", "done"]);
  });

  test("its repair starts although as many attempts wait as may, and although one of them holds its resource", async () => {
    const { stage: opened, go } = await scene({
      fix: true,
      exclusive: ["infra"],
      live: { repeats: 1, everySeconds: 1 },
      limits: { workers: 1, attempts: 2 },
    });
    using stage = opened;
    stage.start();
    await stage.until("attempt-ended");
    go();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.ticket(T1).history).toMatchObject([{ outcome: "landed" }, { outcome: "done" }]);
    // Put off without a failure: its work lands later without another agent.
    expect(stage.ticket(T2)).toMatchObject({ failures: 0, history: [{ outcome: "stopped" }, { outcome: "done" }] });
    expect(stage.tasks.filter(({ ticket }) => ticket === T2)).toHaveLength(1);
  });

  test("and nothing will repair it, the run ends: what waits is put off with its work, and nothing of it counts as a failure", async () => {
    const { stage: opened, go } = await scene({ limits: { workers: 3, attempts: 1 }, live: { repeats: 0, everySeconds: 0.1 } });
    using stage = opened;
    stage.start();
    await stage.until("attempt-ended");
    go();
    const state = await stage.ended();
    expect(state.end).toMatchObject({ exitCode: 1, reason: expect.stringContaining("the base of app is broken") });
    for (const id of [T2, T3]) expect(["done", "waiting"]).toContain(stage.ticket(id).phase);
    for (const id of [T2, T3]) expect(stage.ticket(id).failures).toBe(0);
    expect(state.brokenBases).toMatchObject({ app: { ticket: T1 } });
  });

  test("a heal that a person asks for does not wait for what waits for the base", async () => {
    const { stage: opened, go } = await scene({
      limits: { workers: 3, attempts: 2, heals: 1 },
      heal: () => undefined,
    });
    using stage = opened;
    stage.start();
    await stage.until("attempt-ended");
    go();
    await stage.until("merge-waiting");
    stage.report({ type: "heal-asked" });
    await stage.until("attempt-ended", (event) => event.type === "attempt-ended" && event.ticket === T2);
    expect(stage.ticket(T2)).toMatchObject({ phase: "waiting", failures: 0, pendingWork: expect.anything() });
  });
});

test("an engine that is lost while the base is frozen finds it frozen, and lands what waited without another agent", async () => {
  const { stage: opened, go, up } = await scene();
  using stage = opened;
  await stage.crashAt((event) => {
    if (event.type === "attempt-ended") go();
    return event.type === "merge-waiting";
  });
  await stage.crashAndReopen();
  expect(stage.state.brokenBases).toMatchObject({ app: { ticket: T1 } });
  await stage.resume();
  await stage.until("live-check-ended");
  expect(stage.of("merge-intended").map(({ ticket }) => ticket)).toEqual([T1]);
  up();
  stage.engine.orchestrator.command({ type: "verify" });
  const state = await stage.ended();
  expect(state.end?.exitCode).toBe(0);
  expect(stage.tasks.filter(({ ticket }) => ticket === T1)).toHaveLength(1);
});
