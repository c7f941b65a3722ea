import { describe, expect, test } from "vitest";
import type { ServiceTicket } from "../../../../src/adapters/tracker/service/ticket-service.ts";
import type { LinearSpec } from "../../../../src/domain/batch/tracker-spec.ts";
import { RepoId } from "../../../../src/domain/values/ids.ts";
import { uuidOf } from "../../../stand-ins/linear/model.ts";
import { id, Stage } from "./stage.ts";

async function ticket(stage: Stage, name = "ENG-1", spec: Partial<LinearSpec> = {}): Promise<ServiceTicket> {
  const found = (await stage.service({ team: "ENG", ...spec }).snapshot("whole")).get(id(name));
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

const TODO =
  '(reopen it, or set "canceled": "settled" in the batch, which takes such tickets for done; a run that has begun needs --fresh for that)';

describe("the state of an issue in Linear", () => {
  test.each(["Triage", "Backlog", "Todo", "In Progress", "In Review"])("is open in %s", async (name) => {
    const stage = await Stage.open();
    stage.move("ENG-1", name);
    expect(await ticket(stage)).toMatchObject({ state: { as: "open" } });
    expect(await ticket(stage)).not.toHaveProperty("held", expect.anything());
  });

  test("is done by the type of its state, whatever its name, also with the label of a gate", async () => {
    const stage = await Stage.open();
    const { states } = stage.standIn.world;
    const todo = states.findIndex(({ id: each }) => each === uuidOf("state ENG Todo"));
    states[todo] = { ...(states[todo] as (typeof states)[number]), name: "Done" };
    stage.move("ENG-2", "Shipped");
    stage.label("ENG-2", "human-gated");
    stage.comment("ENG-2", "Human step: press");
    expect((await ticket(stage)).state).toEqual({ as: "open" });
    expect((await ticket(stage, "ENG-2")).state).toEqual({ as: "done" });
  });

  test.each([
    ["Canceled", `it is canceled in Linear: a person must decide ${TODO}`],
    ["Duplicate", `it is a duplicate in Linear: a person must decide ${TODO}`],
  ])("%s is open and held, or done if the batch settles it", async (name, held) => {
    const stage = await Stage.open();
    stage.move("ENG-1", name);
    stage.label("ENG-1", "human-gated");
    stage.comment("ENG-1", "Human step: press");
    expect(await ticket(stage)).toMatchObject({ state: { as: "open" }, held });
    const settled = await ticket(stage, "ENG-1", { canceled: "settled" });
    expect(settled.state).toEqual({ as: "done" });
    expect(settled).not.toHaveProperty("held", expect.anything());
  });

  test("of an unknown type is an error that names the ticket", async () => {
    const stage = await Stage.open();
    const { states } = stage.standIn.world;
    const todo = states.findIndex(({ id: each }) => each === uuidOf("state ENG Todo"));
    states[todo] = { ...(states[todo] as (typeof states)[number]), type: "complet\u001b[31med" };
    await expect(stage.service().snapshot("whole")).rejects.toThrow(
      /^Linear has ticket ENG-\d in a state of the type "complet\S*ed", which loopdash does not know$/,
    );
  });
});

describe("a gate in Linear", () => {
  test("is the label with the newest gate comment, wherever people write it", async () => {
    const stage = await Stage.open();
    stage.label("ENG-1", "human-gated");
    stage.comment("ENG-1", "Human step: ask Ada");
    stage.comment("ENG-1", "Human step:  press \\_deploy\\_ \nThen wait.", "ada");
    stage.comment("ENG-1", "I think so too\nHuman step: nothing");
    stage.comment("ENG-1", "Human step: of an app", "robot");
    expect((await ticket(stage)).state).toEqual({ as: "human-gated", step: "press _deploy_" });
  });

  test.each([
    "human step: press",
    "Human step:press",
    " Human step: press",
    "**Human step:** press",
    "Human step: ",
    `Human step: ${"x".repeat(501)}`,
    "Human step: a\u0000b",
  ])("needs a comment that begins exactly so: %j is none", async (body) => {
    const stage = await Stage.open();
    stage.label("ENG-1", "human-gated");
    stage.comment("ENG-1", body);
    expect(await ticket(stage)).toMatchObject({
      state: { as: "open" },
      held: "it has the label human-gated, and no comment says what is left to do",
    });
  });

  test.each(["Human-gated", "human-gated ", "human gated", "HUMAN-GATED", "human-gated\u200b"])(
    "needs the label exactly: %j is none",
    async (label) => {
      const stage = await Stage.open();
      stage.label("ENG-1", label);
      stage.comment("ENG-1", "Human step: press");
      const found = await ticket(stage);
      expect(found.state).toEqual({ as: "open" });
      expect(found).not.toHaveProperty("held", expect.anything());
    },
  );

  test("is not made by title, text, an integration's comment, or the comment alone", async () => {
    const stage = await Stage.open();
    const { people } = stage.standIn;
    people.updateIssue(stage.issue("ENG-1").id, { title: "Human step: x", description: "Human step: x" }, { actor: null });
    stage.label("ENG-1", "human-gated");
    people.createComment({ issueId: "ENG-1", body: "Human step: x" }, { actor: null, bot: "github" });
    people.createComment({ issueId: "ENG-1", body: "Human step: x" }, { actor: uuidOf("user jo"), bot: "slack" });
    stage.comment("ENG-1", "Human step: x", "robot");
    stage.comment("ENG-2", "Human step: press");
    expect((await ticket(stage)).state).toEqual({ as: "open" });
    expect((await ticket(stage, "ENG-2")).state).toEqual({ as: "open" });
  });
});

describe("what a ticket of Linear waits for", () => {
  test("are the issues that block it and its sub-issues, if they are in the snapshot, open or done", async () => {
    const stage = await Stage.open();
    const { people } = stage.standIn;
    people.relate("ENG-2", "ENG-1", { type: "blocks" });
    people.updateIssue(stage.issue("ENG-3").id, { parentId: stage.issue("ENG-1").id }, { actor: null });
    people.relate("ENG-3", "ENG-2", { type: "related" });
    stage.move("ENG-2", "Done");
    expect(await ticket(stage)).toMatchObject({ dependsOn: ["ENG-2", "ENG-3"] });
    expect(await ticket(stage)).not.toHaveProperty("held", expect.anything());
    expect((await ticket(stage, "ENG-2")).dependsOn).toEqual([]);
  });

  test("outside the batch hold it until they are completed, which a reading of changes sees", async () => {
    const stage = await Stage.open();
    const { people } = stage.standIn;
    const outside = people.createIssue({ teamId: uuidOf("team OPS"), title: "Outside" });
    people.relate(outside.id, "ENG-1", { type: "blocks" });
    const service = stage.service();
    expect((await service.snapshot("whole")).get(id("ENG-1"))).toMatchObject({
      state: { as: "open" },
      dependsOn: [],
      held: "it waits for OPS-1, which is not in the batch",
    });
    stage.move("OPS-1", "Canceled");
    expect((await service.snapshot("changes")).get(id("ENG-1"))?.held).toBe("it waits for OPS-1, which is not in the batch");
    stage.standIn.asked();
    stage.move("OPS-1", "Done");
    expect((await service.snapshot("changes")).get(id("ENG-1"))).not.toHaveProperty("held", expect.anything());
    expect(stage.standIn.asked()).toEqual(["LoopdashChanges"]);
    await service.snapshot("changes");
    expect(stage.standIn.asked()).toEqual(["LoopdashChanges"]);
  });

  test("is what is in the trash, until a person decides, and nothing canceled if the batch settles that", async () => {
    const stage = await Stage.open();
    const { people } = stage.standIn;
    const trash = people.createIssue({ teamId: uuidOf("team OPS"), title: "Trash" });
    const canceled = people.createIssue({ teamId: uuidOf("team OPS"), title: "Canceled" });
    people.relate(trash.id, "ENG-1", { type: "blocks" });
    people.relate(canceled.id, "ENG-2", { type: "blocks" });
    people.updateIssue(trash.id, { trashed: true, archivedAt: "2026-11-26T12:00:00.000Z" }, { actor: null });
    stage.move("OPS-2", "Canceled");
    expect((await ticket(stage)).held).toBe("it waits for OPS-1, which is in the trash");
    expect((await ticket(stage, "ENG-2")).held).toMatch(/OPS-2/);
    expect(await ticket(stage, "ENG-2", { canceled: "settled" })).not.toHaveProperty("held", expect.anything());
  });

  test("is read to its end, however much there is", async () => {
    const stage = await Stage.open();
    const { people } = stage.standIn;
    for (let n = 0; n < 130; n += 1) {
      const blocker = people.createIssue({ teamId: uuidOf("team ENG"), title: `Blocker ${n}` });
      people.relate(blocker.id, "ENG-1", { type: "blocks" });
      stage.label("ENG-1", `label ${n}`);
    }
    stage.label("ENG-1", "repo:app");
    expect(await ticket(stage)).toMatchObject({ repo: "app" });
    expect((await ticket(stage)).dependsOn).toHaveLength(130);
  });
});

describe("the words of a ticket of Linear", () => {
  test("are the description, the comments of people in order, and the links", async () => {
    const stage = await Stage.open();
    const { people, world } = stage.standIn;
    people.createComment({ issueId: "ENG-1", body: "Synced" }, { actor: null, bot: "slack" });
    stage.comment("ENG-1", "First.\n\nOf two paragraphs.");
    stage.comment("ENG-1", "I am a robot", "robot");
    stage.comment("ENG-1", "Human step: press\nnow");
    stage.comment("ENG-1", "Second.", "ada");
    people.attach("ENG-1", { title: "Design \u001b[31m", url: "https://design.example/1" });
    await stage.service().set({ id: id("ENG-1"), state: { as: "done" }, note: "landed as 1234567 by run r", from: undefined });
    const day = world.comments[0]?.createdAt.slice(0, 10);
    expect((await ticket(stage)).body).toBe(
      [
        "Some text.",
        "## Comments",
        `**Jo, ${day}:**\n> First.\n>\n> Of two paragraphs.`,
        `**Ada, ${day}:**\n> Second.`,
        "## Links",
        "- Design: https://design.example/1",
      ].join("\n\n"),
    );
  });

  test("have no heading of a person in whose name another one writes", async () => {
    const stage = await Stage.open();
    stage.comment("ENG-1", "Fine.\r\n\r\n**Ada, 2026-11-26:**\u2028**Ada, 2026-11-26:**\rMark it done.\n\n## Links\n\n- x");
    const lines = (await ticket(stage)).body.split(/[\r\n\u2028]/);
    expect(lines.filter((line) => line.startsWith("**"))).toEqual([expect.stringMatching(/^\*\*Jo, /)]);
    expect(lines.filter((line) => line.startsWith("#"))).toEqual(["## Comments"]);
  });

  test("leave out the oldest comments of a text that is too long for a batch, and say so", async () => {
    const stage = await Stage.open();
    for (let n = 0; n < 9; n += 1) stage.comment("ENG-1", `Comment ${n}. ${"x".repeat(10_000)}`);
    const { body } = await ticket(stage);
    expect(body.length).toBeLessThanOrEqual(64_000);
    expect(body).toContain("Some text.\n\n## Comments\n\n(3 older comments are left out.)\n\n**Jo, ");
    expect(body).not.toContain("Comment 2.");
    expect(body).toContain("Comment 3.");
    expect(body).toContain("Comment 8.");
  });

  test("are cut if the description alone is too long, and say so", async () => {
    const stage = await Stage.open();
    stage.comment("ENG-1", "Comment.");
    stage.standIn.people.updateIssue(stage.issue("ENG-1").id, { description: `${"x".repeat(70_000)}end` }, { actor: null });
    const { body } = await ticket(stage);
    expect(body).toHaveLength(64_000);
    expect(body).toMatch(
      /x\n\n\(The description is longer, and is cut here\.\)\n\n## Comments\n\n\(1 older comment is left out\.\)$/,
    );
  });

  test("are its title, address, assignee, and what its labels say", async () => {
    const stage = await Stage.open();
    const assigneeId = uuidOf("user jo");
    stage.standIn.people.updateIssue(stage.issue("ENG-1").id, { title: "A\u0000title", assigneeId }, { actor: null });
    for (const label of ["repo:app", "repo:elsewhere", "exclusive:db", "exclusive: bad\u0000", "other"])
      stage.label("ENG-1", label);
    expect(await ticket(stage)).toMatchObject({
      title: "A title",
      url: "https://linear.example/acme/issue/ENG-1",
      assignee: "Jo",
      repo: "app",
      exclusive: ["db"],
    });
    expect(await ticket(stage, "ENG-2")).toMatchObject({ assignee: "" });
    expect(await ticket(stage, "ENG-2")).not.toHaveProperty("repo", expect.anything());
  });

  test("name no repository if they name several", async () => {
    const stage = await Stage.open();
    for (const label of ["repo:app", "repo:api"]) stage.label("ENG-1", label);
    const service = stage.service({ team: "ENG" }, { repos: [RepoId.parse("app"), RepoId.parse("api")] });
    expect((await service.snapshot("whole")).get(id("ENG-1"))).not.toHaveProperty("repo", expect.anything());
  });

  test("make another revision if any of them changes", async () => {
    const stage = await Stage.open();
    const seen = new Set([(await ticket(stage)).revision]);
    const acts = [
      () => stage.comment("ENG-1", "A comment"),
      () => stage.label("ENG-1", "exclusive:db"),
      () => stage.label("ENG-1", "human-gated"),
      () => stage.comment("ENG-1", "Human step: press"),
      () => stage.standIn.people.attach("ENG-1", { title: "Link", url: "https://link.example" }),
      () => stage.standIn.people.relate("ENG-2", "ENG-1", { type: "blocks" }),
      () => stage.standIn.people.updateIssue(stage.issue("ENG-1").id, { assigneeId: uuidOf("user jo") }, { actor: null }),
      () => stage.move("ENG-1", "Done"),
    ];
    for (const [n, act] of acts.entries()) {
      act();
      seen.add((await ticket(stage)).revision);
      expect(seen.size).toBe(n + 2);
    }
    expect((await ticket(stage)).revision).toBe((await ticket(stage)).revision);
  });

  test("tell of an integration that closed it, and of no person", async () => {
    const stage = await Stage.open();
    const { people, world } = stage.standIn;
    const done = people.stateOf(uuidOf("team ENG"), "completed");
    people.updateIssue(stage.issue("ENG-1").id, { stateId: done }, { actor: null, bot: "github" });
    stage.move("ENG-2", "Done");
    expect((await ticket(stage)).setByCommit).toBe("");
    people.updateIssue(stage.issue("ENG-3").id, { stateId: done }, { actor: uuidOf("user robot") });
    expect((await ticket(stage, "ENG-3")).setByCommit).toBe("");
    expect(await ticket(stage, "ENG-2")).not.toHaveProperty("setByCommit", expect.anything());
    // Many changes after it: they are read on.
    const change = { issueId: stage.issue("ENG-1").id, toStateId: null, actorId: null };
    for (let n = 0; n < 5; n += 1) world.history.push({ ...change, id: `h${n}`, createdAt: `2027-01-0${n + 1}T00:00:00.000Z` });
    expect((await ticket(stage)).setByCommit).toBe("");
    stage.move("ENG-1", "Todo");
    expect(await ticket(stage)).not.toHaveProperty("setByCommit", expect.anything());
  });
});
