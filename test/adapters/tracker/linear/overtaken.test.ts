import { describe, expect, test } from "vitest";
import type { TrackerState } from "../../../../src/domain/run/drift-fact.ts";
import { id, Stage } from "./stage.ts";

const OPEN: TrackerState = { as: "open" };
const DONE: TrackerState = { as: "done" };
const GATED: TrackerState = { as: "human-gated", step: "press" };

/** A stage on which a person acts once, just before the workflow's states, or the labels, are answered. */
async function aPersonWho(act: (stage: Stage) => void, at = "LoopdashStates"): Promise<Stage> {
  const stage = await Stage.open();
  let hasActed = false;
  stage.standIn.before = ({ name }) => {
    if (name !== at || hasActed) return;
    hasActed = true;
    act(stage);
  };
  return stage;
}

describe("a person who acts while loopdash asks for the states of a team in Linear", () => {
  test.each(["In Review", "Done", "Canceled"])("keeps %s, on which no work is shown to begin", async (state) => {
    const stage = await aPersonWho(() => stage.move("ENG-1", state));
    await stage.service().markStarted?.(id("ENG-1"));
    expect(stage.shown("ENG-1")).toEqual([state]);
    expect(stage.standIn.log.filter(({ isWrite }) => isWrite)).toEqual([]);
  });

  test("keeps a canceled ticket, and the write is refused", async () => {
    const stage = await aPersonWho(() => stage.move("ENG-1", "Canceled"));
    expect(await stage.service().set({ id: id("ENG-1"), state: DONE, note: "n", from: [OPEN] })).toHaveProperty("conflict");
    expect(stage.shown("ENG-1")).toEqual(["Canceled"]);
  });

  test("keeps a canceled ticket that was about to be opened: it is open and on hold", async () => {
    const stage = await aPersonWho(() => stage.move("ENG-1", "Canceled"));
    stage.move("ENG-1", "Done");
    const answer = await stage.service().set({ id: id("ENG-1"), state: OPEN, note: "n", from: [DONE] });
    expect(answer).toMatchObject({ after: { state: OPEN, held: expect.stringContaining("canceled") } });
    expect(stage.shown("ENG-1")).toEqual(["Canceled"]);
  });

  test("keeps the completed state of the person's choice", async () => {
    const stage = await aPersonWho(() => stage.move("ENG-1", "Shipped"));
    const answer = await stage.service().set({ id: id("ENG-1"), state: DONE, note: "landed", from: [OPEN] });
    expect(answer).toMatchObject({ after: { state: DONE } });
    expect(stage.shown("ENG-1")).toEqual(["Shipped"]);
  });

  test("keeps the open state of the person's choice", async () => {
    const stage = await aPersonWho(() => stage.move("ENG-1", "In Review"));
    stage.move("ENG-1", "Done");
    await stage.service().set({ id: id("ENG-1"), state: OPEN, note: "again", from: [DONE] });
    expect(stage.shown("ENG-1")).toEqual(["In Review"]);
  });

  test("keeps a ticket done which loopdash was about to leave to a person", async () => {
    const stage = await aPersonWho(() => stage.move("ENG-1", "Done"), "LoopdashLabels");
    expect(await stage.service().set({ id: id("ENG-1"), state: GATED, note: "n", from: [OPEN] })).toHaveProperty("conflict");
    expect(stage.shown("ENG-1")).toEqual(["Done"]);
    expect(stage.comments("ENG-1")).toEqual([]);
  });
});

test("work is not shown to begin again by another engine: nothing is sent for what was read as started or done", async () => {
  const stage = await Stage.open();
  stage.move("ENG-2", "Done");
  await stage.service().markStarted?.(id("ENG-1"));
  const resumed = stage.service();
  await resumed.snapshot("whole");
  stage.standIn.asked();
  for (const name of ["ENG-1", "ENG-2"]) await resumed.markStarted?.(id(name));
  expect(stage.standIn.asked()).toEqual([]);
  expect(stage.shown("ENG-1")).toEqual(["In Progress"]);
});
