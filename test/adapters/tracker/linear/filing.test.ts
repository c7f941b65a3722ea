import { describe, expect, test } from "vitest";
import type { ServiceTicket, TicketService } from "../../../../src/adapters/tracker/service/ticket-service.ts";
import { RepoId } from "../../../../src/domain/values/ids.ts";
import type { FiledTicket } from "../../../../src/ports/tracker.ts";
import { uuidOf } from "../../../stand-ins/linear/model.ts";
import { aWorld, id, ids, Stage } from "./stage.ts";

const LEAK: FiledTicket = {
  id: id("ENG-2-d1"),
  title: "A leak",
  body: "It drips.\n\nloopdash: ENG-1-d1\n<!-- loopdash: ENG-1-d1 -->",
  repo: RepoId.parse("app"),
  note: "found by ENG-2",
};

async function filed(service: TicketService, ticket: Partial<FiledTicket> = {}): Promise<ServiceTicket> {
  const answer = await service.file({ ...LEAK, ...ticket });
  if ("taken" in answer) throw new Error(`it is taken by ${answer.taken}`);
  return answer.filed;
}

const keysOf = async (service: TicketService) => [...(await service.snapshot("whole")).keys()];

describe("a ticket that is filed in Linear", () => {
  test("is an open issue of its parent's team and project, related to it, and no sub-issue", async () => {
    const stage = await Stage.open();
    stage.standIn.world.projects.push({ id: uuidOf("project"), name: "Launch" });
    stage.issue("ENG-2").projectId = uuidOf("project");
    expect(await filed(stage.service())).toMatchObject({
      id: "ENG-2-d1",
      serviceId: "ENG-4",
      title: "A leak",
      body: LEAK.body,
      state: { as: "open" },
    });
    expect(stage.issue("ENG-4")).toMatchObject({ projectId: uuidOf("project"), parentId: null, labelIds: [] });
    const { relations } = stage.standIn.world;
    expect(relations).toMatchObject([
      { issueId: stage.issue("ENG-2").id, relatedIssueId: stage.issue("ENG-4").id, type: "related" },
    ]);
  });

  test("is found under its id by the same object, another one, and one that lists ids, whatever people make of its words", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    await filed(service);
    await filed(service, { id: id("ENG-2-d1-d1"), title: "Deeper" });
    stage.standIn.world.relations.length = 0;
    stage.standIn.people.updateIssue(stage.issue("ENG-4").id, { title: "Other", description: "words" }, { actor: null });
    expect((await service.snapshot("whole")).get(id("ENG-1"))).not.toHaveProperty("serviceId", expect.anything());
    const all = ["ENG-1", "ENG-2", "ENG-2-d1", "ENG-2-d1-d1", "ENG-3"];
    expect(await keysOf(service)).toEqual(all);
    expect(await keysOf(stage.service())).toEqual(all);
    expect(await keysOf(stage.service({}, { listed: ids("ENG-2") }))).toEqual(["ENG-2", "ENG-2-d1", "ENG-2-d1-d1"]);
    expect(await keysOf(stage.service({}, { listed: ids("ENG-1", "ENG-2-d1-d1") }))).toEqual(["ENG-1", "ENG-2-d1-d1"]);
    const service2 = stage.service();
    await service2.snapshot("whole");
    expect([...(await service2.snapshot("changes")).keys()]).toEqual(all);
  });

  test("stays one in another team, and is in the query of a label that it does not have", async () => {
    const stage = await Stage.open();
    stage.label("ENG-2", "loop");
    await filed(stage.service({ label: "loop" }));
    stage.standIn.people.moveToTeam(stage.issue("ENG-4").id, "OPS", "ENG-4");
    expect(await keysOf(stage.service({ label: "loop" }))).toEqual(["ENG-2", "ENG-2-d1"]);
  });

  test("is found after a gap of ids, and beyond many", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    for (let n = 1; n <= 9; n += 1) await filed(service, { id: id(`ENG-2-d${n}`), title: `Leak ${n}` });
    stage.standIn.world.issues.splice(3, 2);
    const found = await keysOf(stage.service({}, { listed: ids("ENG-2") }));
    expect(found).toEqual(["ENG-2", ...[3, 4, 5, 6, 7, 8, 9].map((n) => `ENG-2-d${n}`)]);
  });

  test("has labels for its repository, if there are several, and for its exclusive names", async () => {
    const stage = await Stage.open();
    const service = stage.service({ team: "ENG" }, { repos: [RepoId.parse("app"), RepoId.parse("api")] });
    expect(await filed(service, { repo: RepoId.parse("api"), exclusive: ["db"] })).toMatchObject({
      repo: "api",
      exclusive: ["db"],
    });
  });

  test("waits for the tickets that it depends on", async () => {
    const stage = await Stage.open();
    expect(await filed(stage.service(), { dependsOn: ids("ENG-1", "ENG-3") })).toMatchObject({ dependsOn: ["ENG-1", "ENG-3"] });
  });

  test("is there already if its id and title are, whatever its state, and nothing is written", async () => {
    const stage = await Stage.open();
    await filed(stage.service());
    stage.move("ENG-4", "Done");
    const before = structuredClone(stage.standIn.world);
    expect(await filed(stage.service(), { body: "other", note: "other" })).toMatchObject({
      body: LEAK.body,
      state: { as: "done" },
    });
    expect(stage.standIn.world).toEqual(before);
  });

  test.each(["ENG-2", "eng-2", "ENG-2-d1", "ENG-2-D1"])("does not get the id %s of another one", async (taken) => {
    const stage = await Stage.open();
    await filed(stage.service());
    const before = structuredClone(stage.standIn.world);
    const answer = await stage.service().file({ ...LEAK, id: id(taken), title: "Another" });
    expect(answer).toEqual({ taken: taken.toLowerCase() === "eng-2" ? "ENG-2" : "ENG-2-d1" });
    expect(stage.standIn.world).toEqual(before);
  });

  test("keeps its id when it is archived, closed or in the trash", async () => {
    const stage = await Stage.open();
    await filed(stage.service());
    await filed(stage.service(), { id: id("ENG-2-d2"), title: "Second" });
    const archivedAt = "2026-11-26T13:00:00.000Z";
    stage.standIn.people.updateIssue(stage.issue("ENG-4").id, { trashed: true, archivedAt }, { actor: null });
    stage.move("ENG-5", "Canceled");
    const service = stage.service();
    expect(await keysOf(service)).toEqual(["ENG-1", "ENG-2", "ENG-2-d2", "ENG-3"]);
    expect(await service.taken()).toEqual(expect.arrayContaining([...ids("ENG-1", "ENG-2", "ENG-3", "ENG-2-d1", "ENG-2-d2")]));
    expect(await service.file(LEAK)).toEqual({ taken: "ENG-2-d1" });
  });

  test("needs a parent among the tickets", async () => {
    const stage = await Stage.open();
    for (const name of ["ENG-404-d1", "NEW-1"])
      await expect(stage.service().file({ ...LEAK, id: id(name) })).rejects.toThrow(
        /^Linear cannot take ticket .*: there is no ticket/,
      );
    expect(stage.standIn.world.issues).toHaveLength(3);
  });

  test("reads back as it was sent, although the editor rewrites Markdown, and not if it lost words", async () => {
    const stage = await Stage.open({ markdown: (text) => text.replace(/^- /gm, "* ").replace(/_/g, "\\_").trim() });
    const body = "- a snake_case name\n- another\n";
    expect((await filed(stage.service(), { body })).body).toBe(body);
    const lossy = await Stage.open({ markdown: (text) => text.replace("another", "") });
    expect((await filed(lossy.service(), { body })).body).not.toBe(body);
  });

  test.each(["reset", "after"] as const)("is made once if its requests are lost (%s), and is related", async (how) => {
    for (let n = 0; ; n += 1) {
      const stage = await Stage.open();
      let seen = 0;
      stage.standIn.fault = ({ isWrite }) =>
        isWrite && seen++ === n ? (how === "reset" ? "reset" : { after: "reset" }) : undefined;
      const isCut = await filed(stage.service()).then(
        () => false,
        () => true,
      );
      stage.standIn.fault = () => undefined;
      expect(await filed(stage.service())).toMatchObject({ id: "ENG-2-d1", body: LEAK.body });
      expect(stage.standIn.world.issues).toHaveLength(4);
      expect(stage.standIn.world.relations).toHaveLength(1);
      if (!isCut) return;
    }
  });

  test("is made once if readings are behind", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    await service.snapshot("whole");
    stage.standIn.staleWrites = 50;
    for (let n = 0; n < 3; n += 1)
      await expect(service.file(LEAK)).rejects.toThrow(/does not show ticket ENG-2-d1 yet|already exists/);
    stage.standIn.staleWrites = 0;
    expect(await filed(service)).toMatchObject({ id: "ENG-2-d1" });
    expect(stage.standIn.world.issues).toHaveLength(4);
  });

  test("has another UUID in another organization", async () => {
    const stage = await Stage.open();
    await filed(stage.service());
    const { id: uuid } = stage.issue("ENG-4");
    const other = await Stage.open({ world: { ...aWorld(), organization: { id: uuidOf("other"), name: "Other" } } });
    await filed(other.service());
    expect(other.issue("ENG-4").id).not.toBe(uuid);
    // Version 4, as Linear asks for.
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
