import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { uuidOf } from "../../../stand-ins/linear/model.ts";
import { aWorld, id, ids, Stage } from "./stage.ts";

const TRASH = { trashed: true, archivedAt: "2026-11-26T13:00:00.000Z" };

describe("a query of Linear", () => {
  const select = async (stage: Stage, spec: object) => [...(await stage.service(spec).snapshot("whole")).keys()];

  test("is by team, project, cycle, label, view and filter, all of them together", async () => {
    const world = aWorld(9);
    world.projects.push({ id: uuidOf("project"), name: "Launch" });
    world.cycles.push({ id: uuidOf("cycle 7"), number: 7, teamId: uuidOf("team ENG"), isActive: true });
    const view = { id: uuidOf("view"), name: "Urgent", modelName: "Issue", teamId: null };
    world.views.push({ ...view, filterData: { and: [{ title: { endsWith: "ENG-5" } }] } });
    world.views.push({ ...view, id: uuidOf("other"), modelName: "Project", filterData: {} });
    const stage = await Stage.open({ world });
    const { people } = stage.standIn;
    for (const number of [2, 3, 4, 5]) stage.issue(`ENG-${number}`).projectId = uuidOf("project");
    for (const number of [3, 4, 5]) stage.issue(`ENG-${number}`).cycleId = uuidOf("cycle 7");
    for (const number of [4, 5]) stage.label(`ENG-${number}`, "loop");
    people.createIssue({ teamId: uuidOf("team OPS"), title: "of another team", labelIds: [uuidOf("label loop of people")] });

    expect(await select(stage, { team: "ENG" })).toHaveLength(9);
    expect(await select(stage, { project: "Launch" })).toEqual(["ENG-2", "ENG-3", "ENG-4", "ENG-5"]);
    expect(await select(stage, { project: uuidOf("project") })).toEqual(["ENG-2", "ENG-3", "ENG-4", "ENG-5"]);
    expect(await select(stage, { team: "ENG", cycle: "current" })).toEqual(["ENG-3", "ENG-4", "ENG-5"]);
    expect(await select(stage, { team: "ENG", cycle: 7 })).toEqual(["ENG-3", "ENG-4", "ENG-5"]);
    expect(await select(stage, { label: "loop" })).toEqual(["ENG-4", "ENG-5", "OPS-1"]);
    expect(await select(stage, { team: "ENG", label: "loop" })).toEqual(["ENG-4", "ENG-5"]);
    expect(await select(stage, { view: "Urgent" })).toEqual(["ENG-5"]);
    expect(await select(stage, { view: uuidOf("view"), label: "loop", project: "Launch" })).toEqual(["ENG-5"]);
    expect(await select(stage, { filter: { number: { in: [1, 4] } }, label: "loop" })).toEqual(["ENG-4", "OPS-1"]);
  });

  test("is by a view's team too, and names a view that is not there or not the only one", async () => {
    const stage = await Stage.open();
    const view = { name: "Mine", modelName: "Issue", filterData: {}, teamId: uuidOf("team OPS") };
    stage.standIn.world.views.push({ ...view, id: uuidOf("one") });
    expect(await select(stage, { view: "Mine" })).toEqual([]);
    await expect(select(stage, { view: "Yours" })).rejects.toThrow('Linear has no view of issues "Yours": correct tracker.view');
    stage.standIn.world.views.push({ ...view, id: uuidOf("two") });
    await expect(select(stage, { view: "Mine" })).rejects.toThrow(/several views "Mine": give tracker.view the id/);
  });

  test("that finds nothing because it names what is not there is an error that says what", async () => {
    const stage = await Stage.open();
    const { world } = stage.standIn;
    world.projects.push({ id: uuidOf("project"), name: "Launch" });
    world.cycles.push({ id: uuidOf("cycle 7"), number: 7, teamId: uuidOf("team ENG"), isActive: false });
    const refused = async (spec: object, words: string) =>
      await expect(select(stage, spec)).rejects.toThrow(`Linear has no ${words}, or the token may not see it: correct tracker.`);
    await refused({ team: "ENGG" }, 'team with the key "ENGG"');
    await refused({ team: "ENG", project: "Lunch" }, 'project "Lunch"');
    await refused({ team: "ENG", label: "agent" }, 'label "agent"');
    await refused({ team: "ENG", cycle: 8 }, 'cycle 8 of the team "ENG"');
    await refused({ team: "OPS", cycle: 7 }, 'cycle 7 of the team "OPS"');
    for (const spec of [{ team: "OPS" }, { project: "Launch" }, { team: "ENG", cycle: 7 }, { team: "ENG", cycle: "current" }])
      expect(await select(stage, spec)).toEqual([]);
  });

  test("that Linear refuses is an error with its reason", async () => {
    const stage = await Stage.open();
    await expect(select(stage, { filter: { nonsense: true } })).rejects.toThrow(/^Linear refuses the request: .*nonsense/);
  });

  test("of listed ids is by these, of several teams, and leaves out those that are not there", async () => {
    const stage = await Stage.open();
    stage.standIn.people.createIssue({ teamId: uuidOf("team OPS"), title: "Other" });
    const service = stage.service({}, { listed: ids("ENG-3", "OPS-1", "ENG-404", "ENG-1", "strange") });
    expect([...(await service.snapshot("whole")).keys()]).toEqual(["ENG-1", "ENG-3", "OPS-1"]);
    expect(service.keys?.().get(id("OPS-1"))).toBe(stage.issue("OPS-1").id);
  });

  test.each(["whole", "changes"] as const)(
    "finds no archived or trashed issues (%s), and finds them when they are back",
    async (how) => {
      const stage = await Stage.open();
      const { people } = stage.standIn;
      const service = stage.service({}, { listed: ids("ENG-1", "ENG-2", "ENG-3") });
      await service.snapshot("whole");
      people.updateIssue(stage.issue("ENG-1").id, TRASH, { actor: null });
      people.updateIssue(stage.issue("ENG-2").id, { archivedAt: TRASH.archivedAt }, { actor: null });
      expect([...(await service.snapshot(how)).keys()]).toEqual(["ENG-3"]);
      await expect(service.set({ id: id("ENG-1"), state: { as: "done" }, note: "", from: undefined })).rejects.toThrow(
        /no ticket ENG-1/,
      );
      people.updateIssue(stage.issue("ENG-1").id, { trashed: null, archivedAt: null }, { actor: null });
      expect([...(await service.snapshot(how)).keys()]).toEqual(["ENG-1", "ENG-3"]);
    },
  );
});

test.each(["whole", "changes"] as const)(
  "a ticket that the query finds no more stays (%s), with the state that it has",
  async (how) => {
    const stage = await Stage.open();
    const service = stage.service({ team: "ENG", filter: { state: { type: { neq: "completed" } } } });
    await service.snapshot("whole");
    await service.set({ id: id("ENG-1"), state: { as: "done" }, note: "", from: undefined });
    stage.move("ENG-2", "Shipped");
    const states = [...(await service.snapshot(how)).values()].map(({ state }) => state.as);
    expect(states).toEqual(["done", "done", "open"]);
  },
);

describe("an issue that moves to another team", () => {
  test.each(["whole", "changes"] as const)("keeps its ticket's id (%s), and can be set", async (how) => {
    const stage = await Stage.open();
    const service = stage.service();
    await service.snapshot("whole");
    const { id: uuid } = stage.issue("ENG-1");
    stage.standIn.people.moveToTeam(uuid, "OPS", "ENG-1");
    const tickets = await service.snapshot(how);
    expect([...tickets.keys()]).toEqual(["ENG-1", "ENG-2", "ENG-3"]);
    expect(tickets.get(id("ENG-1"))?.url).toMatch(/OPS-1$/);
    const { after } = (await service.set({ id: id("ENG-1"), state: { as: "done" }, note: "", from: undefined })) as never as {
      after: { id: string };
    };
    expect(after.id).toBe("ENG-1");
    // The done state of the team where it is now.
    expect(stage.issue(uuid).stateId).toBe(uuidOf("state OPS Done"));
    expect(service.keys?.().get(id("ENG-1"))).toBe(uuid);
  });

  test("is found under its listed id by a later process too, which asks for it once", async () => {
    const stage = await Stage.open();
    stage.standIn.people.moveToTeam(stage.issue("ENG-1").id, "OPS", "ENG-1");
    const service = stage.service({}, { listed: ids("ENG-1", "ENG-2", "ENG-404") });
    for (let n = 0; n < 2; n += 1) expect([...(await service.snapshot("whole")).keys()]).toEqual(["ENG-1", "ENG-2"]);
    expect(stage.standIn.asked().filter((name) => name === "LoopdashIssueId")).toHaveLength(2);
  });
});

describe("reading Linear", () => {
  test("takes one request for 100 listed tickets, and little for their changes", async () => {
    const stage = await Stage.open({ world: aWorld(100) });
    const service = stage.service({}, { listed: Array.from({ length: 100 }, (_, n) => id(`ENG-${n + 1}`)) });
    await service.snapshot("whole");
    stage.standIn.asked();
    expect((await service.snapshot("whole")).size).toBe(100);
    expect(stage.standIn.log.map(({ name }) => name)).toEqual(["LoopdashIssues"]);
    expect(stage.standIn.log[0]?.complexity).toBeLessThan(10_000);
  });

  test("of a query takes one more light request at first, for what was filed before, and one from then on", async () => {
    const stage = await Stage.open({ world: aWorld(100) });
    const service = stage.service();
    await service.snapshot("whole");
    expect(stage.standIn.asked()).toEqual(["viewer", "organization", "LoopdashIssues", "LoopdashStamps"]);
    await service.snapshot("whole");
    expect(stage.standIn.asked()).toEqual(["LoopdashIssues"]);
  });

  test("has all of 250 tickets once, and their changes cost one light request", async () => {
    const stage = await Stage.open({ world: aWorld(250), now: () => Date.UTC(2026, 10, 27) });
    const service = stage.service();
    expect((await service.snapshot("whole")).size).toBe(250);
    stage.standIn.asked();
    const before = await service.snapshot("changes");
    const [light, ...more] = stage.standIn.log.splice(0);
    expect(light?.complexity).toBeLessThan(700);
    expect(more).toEqual([]);
    stage.standIn.people.updateIssue(stage.issue("ENG-77").id, { title: "Another" }, { actor: null });
    const after = await service.snapshot("changes");
    expect(stage.standIn.asked()).toEqual(["LoopdashChanges"]);
    expect(after.get(id("ENG-77"))?.title).toBe("Another");
    expect([...after].filter(([key, value]) => value.revision !== before.get(key)?.revision).map(([key]) => key)).toEqual([
      "ENG-77",
    ]);
    // Within the overlap it is named again, and not read again.
    await service.snapshot("changes");
    expect(stage.standIn.asked()).toEqual(["LoopdashChanges"]);
  });

  test("takes one more request if more has changed than comes with the list of changes", async () => {
    const stage = await Stage.open({ world: aWorld(250), now: () => Date.UTC(2026, 10, 27) });
    const service = stage.service();
    await service.snapshot("whole");
    for (let n = 1; n <= 120; n += 1)
      stage.standIn.people.updateIssue(stage.issue(`ENG-${n}`).id, { title: `Another ${n}` }, { actor: null });
    stage.standIn.asked();
    const after = await service.snapshot("changes");
    expect(stage.standIn.asked()).toEqual([
      ...["LoopdashChanges", "LoopdashStamps", "LoopdashStamps", "LoopdashIssues", "LoopdashIssues"],
    ]);
    for (let n = 1; n <= 120; n += 1) expect(after.get(id(`ENG-${n}`))?.title).toBe(`Another ${n}`);
  });

  test("takes a change from no list whose whole issue is older than it says", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    await service.snapshot("whole");
    // An old comment that does not come with the issue was edited.
    for (let n = 0; n < 6; n += 1) stage.comment("ENG-2", `Comment ${n}`);
    await service.snapshot("changes");
    const [first] = stage.standIn.world.comments;
    Object.assign(first ?? {}, { body: "Comment 0, edited", updatedAt: new Date(stage.standIn.now() + 1000).toISOString() });
    expect((await service.snapshot("changes")).get(id("ENG-2"))?.body).toContain("Comment 0, edited");
  });

  test("of changes sees new issues, comments that touch no issue, and is whole every 20th time", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    // Without an earlier reading it is a whole one.
    expect((await service.snapshot("changes")).size).toBe(3);
    stage.standIn.people.createIssue({ teamId: uuidOf("team ENG"), title: "New" });
    expect((await service.snapshot("changes")).get(id("ENG-4"))?.title).toBe("New");
    stage.comment("ENG-2", "A comment");
    expect((await service.snapshot("changes")).get(id("ENG-2"))?.body).toContain("A comment");
    stage.standIn.asked();
    await service.snapshot("changes");
    expect(stage.standIn.asked()).toEqual(["LoopdashChanges"]);
    const { world } = stage.standIn;
    // Deleted for good: no change tells of it.
    world.issues.splice(0, 1);
    for (let n = 5; n <= 20; n += 1) expect((await service.snapshot("changes")).has(id("ENG-1"))).toBe(true);
    stage.standIn.asked();
    expect((await service.snapshot("changes")).has(id("ENG-1"))).toBe(false);
    expect(stage.standIn.asked()).toEqual(["LoopdashIssues"]);
  });

  test("asks by the server's times, whatever the local clock says, with an overlap of five minutes", async () => {
    const stage = await Stage.open({ now: () => Date.UTC(2019, 0, 1, 12) });
    for (const issue of stage.standIn.world.issues) issue.updatedAt = "2018-12-31T00:00:00.000Z";
    const service = stage.service();
    await service.snapshot("whole");
    stage.standIn.advance(60_000);
    stage.standIn.people.updateIssue(stage.issue("ENG-2").id, { title: "Another" }, { actor: null });
    stage.standIn.log.length = 0;
    expect((await service.snapshot("changes")).get(id("ENG-2"))?.title).toBe("Another");
    expect(JSON.stringify(stage.standIn.log[0]?.variables)).toContain('"gt":"2019-01-01T11:55:00.000Z"');
  });

  test("asks from the newest known change on if no answer has the server's time", async () => {
    const stage = await Stage.open();
    stage.standIn.isWithoutDate = true;
    const service = stage.service();
    await service.snapshot("whole");
    stage.standIn.log.length = 0;
    await service.snapshot("changes");
    expect(JSON.stringify(stage.standIn.log[0]?.variables)).toContain('"gt":"2026-11-26T11:55:00.000Z"');
  });

  test("goes on from what was read before a reading that failed", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    await service.snapshot("whole");
    stage.standIn.people.updateIssue(stage.issue("ENG-2").id, { title: "Another" }, { actor: null });
    stage.standIn.fault = ({ name }) => (/^Loopdash/.test(name) ? "reset" : undefined);
    await expect(service.snapshot("changes")).rejects.toThrow(/cannot be reached/);
    await expect(service.snapshot("whole")).rejects.toThrow(/cannot be reached/);
    stage.standIn.fault = () => undefined;
    const tickets = await service.snapshot("changes");
    expect([...tickets.values()].map(({ title }) => title)).toEqual(["Title of ENG-1", "Another", "Title of ENG-3"]);
  });
});

test("the SDK is loaded by the first request, not before", async () => {
  const child = fileURLToPath(new URL("./loading.child.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [child], { env: {} });
  expect(stdout).toBe("before: 0, after: 1\n");
});
