import { describe, expect, test } from "vitest";
import type { StateAnswer, TicketService } from "../../../../src/adapters/tracker/service/ticket-service.ts";
import type { TrackerState } from "../../../../src/domain/run/drift-fact.ts";
import { uuidOf } from "../../../stand-ins/linear/model.ts";
import { LinearStandIn } from "../../../stand-ins/linear/stand-in.ts";
import { id, Stage } from "./stage.ts";

const OPEN: TrackerState = { as: "open" };
const DONE: TrackerState = { as: "done" };
const gate = (step: string): TrackerState => ({ as: "human-gated", step });

function set(
  service: TicketService,
  state: TrackerState,
  options: { from?: readonly TrackerState[]; note?: string; name?: string } = {},
) {
  const { from, note = "landed as 1234567 by run r", name = "ENG-1" } = options;
  return service.set({ id: id(name), state, note, from });
}

function after(answer: StateAnswer): TrackerState {
  if ("conflict" in answer) throw new Error("it is a conflict");
  return answer.after.state;
}

const writes = (stage: Stage): readonly string[] => stage.standIn.log.filter(({ isWrite }) => isWrite).map(({ name }) => name);

describe("setting a ticket in Linear", () => {
  test("to done moves it to the team's first completed state, and says what landed", async () => {
    const stage = await Stage.open();
    expect(after(await set(stage.service(), DONE))).toEqual(DONE);
    expect(stage.shown("ENG-1")).toEqual(["Done"]);
    expect(stage.comments("ENG-1")).toEqual([{ userId: uuidOf("user loopdash"), body: "loopdash: landed as 1234567 by run r" }]);
  });

  test("to done takes the state that the batch names, which must be completed and the team's", async () => {
    const stage = await Stage.open();
    const before = structuredClone(stage.standIn.world);
    await expect(set(stage.service({ team: "ENG", doneState: "In Review" }), DONE)).rejects.toThrow(
      'the state "In Review" of team ENG in Linear is of the type started, not completed: correct tracker.doneState',
    );
    await expect(set(stage.service({ team: "ENG", doneState: "done" }), DONE)).rejects.toThrow(
      'team ENG of Linear has no state "done": correct tracker.doneState',
    );
    expect(stage.standIn.world).toEqual(before);
    await set(stage.service({ team: "ENG", doneState: "Shipped" }), DONE);
    expect(stage.shown("ENG-1")).toEqual(["Shipped"]);
  });

  test("to human-gated keeps its state, and creates the label once for the team", async () => {
    const stage = await Stage.open();
    stage.move("ENG-1", "In Progress");
    const service = stage.service();
    expect(after(await set(service, gate("press _deploy_ \\ in <b>")))).toEqual(gate("press _deploy_ \\ in <b>"));
    await set(service, gate("ask"), { name: "ENG-2" });
    expect(stage.shown("ENG-1")).toEqual(["In Progress", "human-gated"]);
    expect(stage.standIn.world.labels.filter(({ name }) => name === "human-gated")).toHaveLength(1);
    expect(stage.comments("ENG-1")[0]?.body).toMatch(/^Human step: press .*\n\nloopdash: landed/);
  });

  test("to human-gated uses the label of the workspace, and none of another team or another spelling", async () => {
    const stage = await Stage.open();
    const { labels } = stage.standIn.world;
    labels.push(
      { id: uuidOf("l1"), name: "human-gated", teamId: uuidOf("team OPS") },
      { id: uuidOf("l2"), name: "Human-gated", teamId: null },
    );
    await set(stage.service(), gate("press"));
    expect(stage.issue("ENG-1").labelIds).not.toContain(uuidOf("l1"));
    expect(stage.issue("ENG-1").labelIds).not.toContain(uuidOf("l2"));
    labels.push({ id: uuidOf("l3"), name: "human-gated", teamId: null });
    labels.splice(
      labels.findIndex(({ teamId, name }) => teamId === uuidOf("team ENG") && name === "human-gated"),
      1,
    );
    await set(stage.service(), gate("press"), { name: "ENG-2" });
    expect(stage.issue("ENG-2").labelIds).toEqual([uuidOf("l3")]);
  });

  test("from done to human-gated starts it again, from done to open puts it back", async () => {
    const stage = await Stage.open();
    for (const name of ["ENG-1", "ENG-2"]) stage.move(name, "Done");
    await set(stage.service(), gate("press"));
    await set(stage.service(), OPEN, { name: "ENG-2" });
    expect(stage.shown("ENG-1")).toEqual(["In Progress", "human-gated"]);
    expect(stage.shown("ENG-2")).toEqual(["Todo"]);
  });

  test("edits its own comment, and ends its gate with the label", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    await set(service, gate("press"));
    await set(service, gate("press twice"));
    expect(stage.comments("ENG-1")).toHaveLength(1);
    await set(service, OPEN, { note: "taken back" });
    expect(stage.comments("ENG-1").map(({ body }) => body)).toEqual(["loopdash: taken back"]);
    expect(stage.shown("ENG-1")).toEqual(["Todo"]);
    await set(service, gate("press"));
    await set(service, DONE);
    expect(stage.comments("ENG-1").map(({ body }) => body)).toEqual(["loopdash: landed as 1234567 by run r"]);
    expect(stage.shown("ENG-1")).toEqual(["Done"]);
  });

  test("never edits a person's comment, not even one of the token's own user, and is the newest gate", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    await set(service, gate("press"));
    stage.comment("ENG-1", "Human step: ask Ada", "loopdash");
    stage.comment("ENG-1", "Human step: ask Jo");
    expect(after(await set(service, gate("press twice")))).toEqual(gate("press twice"));
    expect(stage.comments("ENG-1").map(({ body }) => body.split("\n")[0])).toEqual([
      "Human step: ask Ada",
      "Human step: ask Jo",
      "Human step: press twice",
    ]);
    expect(after(await set(service, DONE))).toEqual(DONE);
    expect(stage.comments("ENG-1").map(({ body }) => body.split("\n")[0])).toEqual([
      "Human step: ask Ada",
      "Human step: ask Jo",
      "loopdash: landed as 1234567 by run r",
    ]);
  });

  test("keeps a note from being a gate", async () => {
    const stage = await Stage.open();
    await set(stage.service(), OPEN, { note: "Human step: nothing" });
    stage.move("ENG-2", "Done");
    await set(stage.service(), OPEN, { note: "Human step: nothing", name: "ENG-2" });
    stage.label("ENG-2", "human-gated");
    expect((await stage.service().snapshot("whole")).get(id("ENG-2"))?.state).toEqual(OPEN);
  });

  test("writes nothing if the state is as wanted, or is none that is allowed", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    await set(service, gate("press"));
    const before = structuredClone(stage.standIn.world);
    stage.standIn.asked();
    const same = await set(service, gate(" press "), { note: "other", from: [OPEN] });
    expect(same).toMatchObject({ before: { state: gate("press") }, after: { state: gate("press") } });
    expect(await set(service, DONE, { from: [OPEN, gate("press it")] })).toMatchObject({ conflict: { state: gate("press") } });
    expect(stage.standIn.world).toEqual(before);
    expect(writes(stage)).toEqual([]);
  });

  test("looks at the ticket as it is now, and not as it was read", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    await service.snapshot("whole");
    stage.move("ENG-1", "Shipped");
    stage.move("ENG-2", "Canceled");
    expect(await set(service, gate("press"), { from: [OPEN] })).toMatchObject({ conflict: { state: DONE } });
    const { conflict } = (await set(service, DONE, { from: [OPEN], name: "ENG-2" })) as { conflict: { held?: string } };
    expect(conflict.held).toMatch(/canceled/);
    expect(stage.shown("ENG-2")).toEqual(["Canceled"]);
  });

  test("leaves a state that a person sets while the note is written", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    stage.standIn.before = ({ name }) => {
      if (name === "createComment") stage.move("ENG-1", "Canceled");
    };
    expect(await set(service, DONE, { from: [OPEN] })).toMatchObject({ conflict: { state: OPEN } });
    expect(stage.shown("ENG-1")).toEqual(["Canceled"]);
  });

  test("ends the gate of its own comment if a person has settled the ticket", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    await set(service, gate("press"));
    stage.move("ENG-1", "Done");
    await set(service, DONE);
    expect(stage.comments("ENG-1").map(({ body }) => body)).toEqual(["loopdash: landed as 1234567 by run r"]);
    expect(stage.shown("ENG-1")).toEqual(["Done"]);
  });

  test("finds no place for a comment that people delete, and makes another", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    for (const step of ["one", "two", "three"]) {
      await set(service, gate(step));
      const [comment] = stage.standIn.world.comments;
      stage.standIn.people.deleteComment(comment?.id ?? "");
    }
    expect(after(await set(service, gate("four")))).toEqual(gate("four"));
    expect(stage.comments("ENG-1")).toHaveLength(1);
  });

  test("keeps a step through an editor that rewrites Markdown", async () => {
    const markdown = (text: string) =>
      text
        // What is not escaped is emphasis, and is written in another way.
        .replace(/(?<!\\)\*([^*]+)\*/g, "_$1_")
        .replace(/\\([*_[\]<>~|#&!`])/g, "$1")
        .replace(/([*_[\]])/g, "\\$1")
        .replace(/https?:\/\/\S+/g, (url) => `<${url}>`)
        .replace(/ENG-2/g, "[ENG-2](https://linear.example/ENG-2)")
        .trim();
    const stage = await Stage.open({ markdown });
    const service = stage.service();
    const step = "set FOO_BAR *now* [here] at https://app.example/a then press \\ twice after ENG-2 <b>";
    expect(after(await set(service, gate(step)))).toEqual(gate(step));
    stage.standIn.asked();
    await set(service, gate(step));
    expect(writes(stage)).toEqual([]);
  });

  test("of a ticket that does not exist is an error", async () => {
    const stage = await Stage.open();
    await expect(set(stage.service(), DONE, { name: "ENG-404" })).rejects.toThrow(
      "Linear has no ticket ENG-404, or it is archived",
    );
    await expect(set(stage.service(), DONE, { name: "OPS-1" })).rejects.toThrow(/OPS-1/);
  });

  test("that Linear does not do is an error", async () => {
    const stage = await Stage.open();
    stage.standIn.tamper = (data, { name }) =>
      name === "updateIssue" ? { data: { issueUpdate: { success: false, lastSyncId: 1, issue: null } } } : data;
    await expect(set(stage.service(), DONE)).rejects.toThrow(/did not do what it was asked/);
  });
});

test("an app's own comment gates a ticket", async () => {
  const stage = await Stage.open();
  stage.standIn.grant("lin_oauth_robot", { user: "robot" });
  const service = stage.service({ team: "ENG" }, { token: { get: async () => "lin_oauth_robot", renew: async () => "" } });
  expect(after(await set(service, gate("press")))).toEqual(gate("press"));
  // Another user's loopdash sees it, and keeps it out of the text.
  const seen = (await stage.service().snapshot("whole")).get(id("ENG-1"));
  expect(seen).toMatchObject({ state: gate("press"), body: "Some text." });
});

test("a token of another user writes a comment of its own", async () => {
  const stage = await Stage.open();
  stage.standIn.grant("lin_oauth_jo", { user: "jo" });
  let token: string = LinearStandIn.TOKEN;
  const service = stage.service({ team: "ENG" }, { token: { get: async () => token, renew: async () => token } });
  await set(service, gate("press"));
  token = "lin_oauth_jo";
  expect(after(await set(service, gate("press twice")))).toEqual(gate("press twice"));
  expect(stage.comments("ENG-1").map(({ userId }) => userId)).toEqual([uuidOf("user loopdash"), uuidOf("user jo")]);
});

describe("a ticket of Linear on which work begins", () => {
  test.each([
    ["Triage", "In Progress"],
    ["Backlog", "In Progress"],
    ["Next", "In Progress"],
    ["In Review", "In Review"],
    ["Done", "Done"],
    ["Canceled", "Canceled"],
  ])("moves from %s to %s, and keeps its state", async (from, to) => {
    const stage = await Stage.open();
    stage.move("ENG-1", from);
    const service = stage.service();
    const before = (await service.snapshot("whole")).get(id("ENG-1"))?.state;
    await service.markStarted?.(id("ENG-1"));
    expect(stage.shown("ENG-1")).toEqual([to]);
    expect((await service.snapshot("changes")).get(id("ENG-1"))?.state).toEqual(before);
  });

  test("stays where it is if its team has no started state", async () => {
    const stage = await Stage.open();
    const { states } = stage.standIn.world;
    states.splice(0, states.length, ...states.filter(({ type }) => type !== "started"));
    await stage.service().markStarted?.(id("ENG-1"));
    expect(stage.shown("ENG-1")).toEqual(["Todo"]);
  });
});
