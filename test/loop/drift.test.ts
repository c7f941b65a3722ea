import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeChange } from "../../src/domain/run/drift-fact.ts";
import { keptBranch } from "../../src/domain/run/kept-work.ts";
import { describeReason, whyNot } from "../../src/domain/schedule/why-not.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import { renderSummaryText } from "../../src/store/results/summary.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { acts, drift, edit, fileOf, halfDone, open, setTo, T1, T2, T3 } from "./drift-stage.ts";
import { RUN, type Stage } from "./stage.ts";

cleanUp();

describe("a person closes a ticket in the tracker", () => {
  test("that waits: it is settled without a commit of ours, and its dependents go on", async () => {
    const { stage, go } = await open({
      tickets: [ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] }), ticketOf("T-3", { dependsOn: [T2] })],
      limits: { workers: 1 },
      held: [T1],
    });
    using _ = stage;
    stage.start();
    await stage.until("agent-launching");
    setTo(stage, T2, "done");
    await stage.until("tracker-drifted", drift(T2, "closed"));
    go(T1);
    const state = await stage.ended();
    expect(state.end).toMatchObject({ exitCode: 0, reason: "3 done" });
    expect(stage.tasks.map((task) => task.ticket).sort()).toEqual([T1, T3]);
    expect(stage.ticket(T2)).toMatchObject({ phase: "done", closedByPerson: "closed" });
    expect(renderSummaryText(stage.state)).toContain("2 shipped, 1 closed by a person, 0 left to a person");
    expect(stage.ticket(T2).mergedSha).toBeUndefined();
    expect(acts(stage)).toEqual([["I7", T2, true]]);
  });

  test("that is worked on: the attempt stops, its work stays on a branch, and nothing of it lands", async () => {
    const { stage } = await open({ tickets: [ticketOf("T-1")], work: halfDone });
    using _ = stage;
    stage.start();
    await stage.until("agent-started");
    setTo(stage, T1, "done");
    const state = await stage.ended();
    expect(state.end).toMatchObject({ exitCode: 0 });
    expect(stage.ticket(T1)).toMatchObject({
      phase: "done",
      closedByPerson: "closed",
      history: [{ outcome: "closed" }],
      failures: 0,
    });
    expect(stage.git("log", "--format=%s", "main")).toBe("first");
    expect(stage.git("show", `${keptBranch(RUN, T1, 1)}:T-1.txt`)).toBe("1");
    expect(renderSummaryText(stage.state)).toContain(`work kept on ${keptBranch(RUN, T1, 1)} (1 file)`);
    expect(acts(stage)).toEqual([["I7", T1, true]]);
  });
});

describe("a person reopens a ticket in the tracker", () => {
  test("that was shipped: it is worked on afresh, and its next agent is told", async () => {
    let n = 0;
    const { stage, go } = await open({
      tickets: [ticketOf("T-1"), ticketOf("T-2")],
      held: [T2],
    });
    using _ = stage;
    const first = stage.tasks;
    stage.start();
    await stage.until("attempt-ended", (e) => e.type === "attempt-ended" && e.ticket === T1 && e.outcome === "done");
    setTo(stage, T1, "open");
    await stage.until("tracker-drifted", drift(T1, "reopened"));
    go(T2);
    const state = await stage.ended();
    n = first.filter((task) => task.ticket === T1).length;
    expect(n).toBe(2);
    const prompt = readFileSync(first.findLast((task) => task.ticket === T1)?.promptFile ?? "", "utf8");
    expect(prompt).toContain("a person reopened it in the tracker");
    expect(prompt).not.toContain("failed: a person");
    expect(state.end).toMatchObject({ exitCode: 0 });
    expect(acts(stage)).toEqual([["I7", T1, true]]);
    expect(state.incidents).toMatchObject([{ kind: "reopened", ticket: T1 }]);
  });
});

test("a ticket that a person gates in the tracker: its attempt stops, and it is left to the person", async () => {
  const { stage } = await open({ tickets: [ticketOf("T-1")], held: [T1] });
  using _ = stage;
  stage.start();
  await stage.until("agent-launching");
  setTo(stage, T1, "human-gated\nhumanStep: ask Jo");
  const state = await stage.ended();
  expect(state.end).toMatchObject({ exitCode: 0, reason: "0 done, 1 left to a person" });
  expect(stage.ticket(T1)).toMatchObject({ phase: "human-gated", humanStep: "ask Jo" });
  expect(readFileSync(fileOf(stage, T1), "utf8")).toContain("humanStep: ask Jo\n");
  expect(acts(stage)).toEqual([["I7", T1, true]]);
});

const changesOf = (stage: Stage, id: TicketId) =>
  stage.events.flatMap((event) =>
    event.type === "tracker-drifted" && event.ticket === id ? [describeChange(event.change)] : [],
  );

test("a ticket that a person rewrites: the running attempt goes on, and the next prompt has the new text", async () => {
  const { stage, go } = await open({ limits: { workers: 1 }, held: [T1] });
  using _ = stage;
  stage.start();
  await stage.until("agent-launching");
  edit(stage, T2, (text) => `${text.replace("Title", "Title")}\nUse the blue paint.\n`);
  edit(stage, T1, (text) => text.replace(/^title: .*$/m, "title: Quite another title"));
  await stage.until("tracker-drifted", drift(T2, "rewritten"));
  await stage.until("tracker-drifted", drift(T1, "rewritten"));
  expect(changesOf(stage, T2)).toEqual(["rewritten in the tracker"]);
  expect(changesOf(stage, T1)).toEqual(['retitled in the tracker from "T-1" to "Quite another title"']);
  go(T1);
  const state = await stage.ended();
  expect(state.end).toMatchObject({ exitCode: 0 });
  expect(stage.tasks).toHaveLength(2);
  expect(readFileSync(stage.tasks[1]?.promptFile ?? "", "utf8")).toContain("Use the blue paint.");
  expect(state.plan.tickets[0]?.title).toBe("Quite another title");
  expect(state.batch.tickets[0]?.title).not.toBe("Quite another title");
});

describe("dependencies that a person changes", () => {
  test("are followed by the plan", async () => {
    const { stage, go } = await open({
      tickets: [ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")],
      limits: { workers: 1 },
      held: [T1],
    });
    using _ = stage;
    stage.start();
    await stage.until("agent-launching");
    edit(stage, T2, (text) => text.replace("state:", "dependsOn: [T-3]\nstate:"));
    await stage.until("tracker-drifted", drift(T2, "dependencies"));
    go(T1);
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(stage.tasks.map((task) => task.ticket)).toEqual([T1, T3, T2]);
  });

  test("are refused in a cycle, and said once", async () => {
    const { stage, go } = await open({ held: [T1] });
    using _ = stage;
    stage.start();
    await stage.until("agent-launching");
    edit(stage, T1, (text) => text.replace("state:", "dependsOn: [T-2]\nstate:"));
    await stage.until("tracker-drifted", drift(T1, "dependencies"));
    edit(stage, T1, (text) => text.replace("Title", "Title"));
    go(T1);
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    const changes = stage.of("tracker-drifted").map(({ change }) => change);
    expect(changes).toMatchObject([{ kind: "dependencies", refused: expect.stringContaining("cycle") }]);
  });
});

test("a ticket that vanishes waits and says so; once it is back, it goes on", async () => {
  const { stage, go } = await open({
    tickets: [ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")],
    limits: { workers: 1 },
    held: [T1, T3],
  });
  using _ = stage;
  stage.start();
  await stage.until("agent-launching");
  const text = readFileSync(fileOf(stage, T2), "utf8");
  rmSync(fileOf(stage, T2));
  await stage.until("tracker-drifted", drift(T2, "vanished"));
  expect(stage.ticket(T2).tracked?.unavailable).toBe("the tracker lacks it: there is no such ticket");
  expect(describeReason(whyNot(stage.state, 1))).toBe("the tracker lacks it: there is no such ticket; it cannot be judged");
  go(T1);
  await expect.poll(() => stage.tasks.map((task) => task.ticket)).toEqual([T1, T3]);
  writeFileSync(fileOf(stage, T2), text);
  await stage.until("tracker-drifted", drift(T2, "returned"));
  go(T3);
  expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "3 done" });
  expect(acts(stage)).toEqual([["I7", T2, true]]);
});

test("a ticket file that cannot be read has not vanished, and is told as what it is", async () => {
  const { stage, go } = await open({ tickets: [ticketOf("T-1"), ticketOf("T-2")], limits: { workers: 1 }, held: [T1] });
  using _ = stage;
  stage.start();
  await stage.until("agent-launching");
  const text = readFileSync(fileOf(stage, T2), "utf8");
  writeFileSync(fileOf(stage, T2), text.replace("state: open", "state: [open"));
  await stage.until("tracker-drifted", drift(T2, "vanished"));
  const [{ change } = {}] = stage.of("tracker-drifted");
  expect(change && describeChange(change)).toMatch(/^cannot be read in the tracker: T-2.md: line 6/);
  expect(describeReason(whyNot(stage.state, 1))).toMatch(/^the tracker has it, but it cannot be read: .*; it cannot be judged$/);
  writeFileSync(fileOf(stage, T2), text);
  await stage.until("tracker-drifted", drift(T2, "returned"));
  go(T1);
  expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
});

test("a new ticket that the batch does not name is ignored, and said once", async () => {
  const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] });
  using _ = stage;
  stage.start();
  await stage.until("agent-launching");
  writeFileSync(join(stage.root, "tickets", "T-9.md"), "---\nstate: open\n---\n# Another\n");
  await stage.until("tracker-others");
  writeFileSync(join(stage.root, "tickets", "T-9.md"), "---\nstate: open\n---\n# Another one\n");
  go(T1);
  expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "1 done" });
  expect(stage.of("tracker-others")).toMatchObject([{ ids: ["T-9"], more: 0 }]);
  expect(acts(stage)).toEqual([]);
});

test("a folder that is away is no act and costs no attempt: its last reading counts until it is back", async () => {
  const { stage, go } = await open({ limits: { outageMinutes: 1 }, held: [T1] });
  using _ = stage;
  stage.start();
  await stage.until("agent-launching");
  const folder = join(stage.root, "tickets");
  renameSync(folder, `${folder}.away`);
  await stage.engine.performer.pollTracker();
  expect(stage.state.outages?.tracker?.why).toContain("no such folder");
  renameSync(`${folder}.away`, folder);
  await stage.engine.performer.pollTracker();
  expect(stage.state.outages?.tracker).toBeUndefined();
  go(T1);
  expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "2 done" });
  expect(stage.of("tracker-drifted")).toEqual([]);
  expect(existsSync(folder)).toBe(true);
});
