import { describe, expect, it } from "vitest";
import { createServiceTracker } from "../../../../src/adapters/tracker/service/service-tracker.ts";
import { RepoId } from "../../../../src/domain/values/ids.ts";
import { type FiledTicket, TrackerBusy } from "../../../../src/ports/tracker.ts";
import type { GitHubStandIn } from "../../../stand-ins/github/server.ts";
import { aService, aStandIn, Clock, read, type ServiceOptions, ticket, writes } from "./stage.ts";

const D1 = ticket("app-1-d1");
const found: FiledTicket = {
  id: D1,
  title: "A leak",
  body: "In the cellar.\n",
  repo: RepoId.parse("app"),
  note: "found by app-1",
};

const file = (standIn: GitHubStandIn, more: Partial<FiledTicket> = {}, options: ServiceOptions = {}) =>
  aService(standIn, options).file({ ...found, ...more });
const issuesOf = (standIn: GitHubStandIn, repo = 0) => standIn.state.repos[repo]?.issues ?? [];

describe("a discovered ticket", () => {
  it("is an issue beside its parent, which says where it was found", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    expect(await file(standIn)).toMatchObject({
      filed: { id: D1, serviceId: "#2", title: "A leak", body: "In the cellar.", state: { as: "open" }, dependsOn: [] },
    });
    expect((await read(standIn))["app-1"]).not.toHaveProperty("serviceId", expect.anything());
    expect(issuesOf(standIn)[1]).toMatchObject({
      title: "A leak",
      body: "In the cellar.\n\n---\nFound while working on #1. found by app-1\n\n<!-- loopdash: app-1-d1 -->",
      labels: ["loopdash"],
      author: "loop",
    });
  });

  it("is found again by another process, whatever its state, and only with its parent's batch", async () => {
    const standIn = await aStandIn([{ title: "A" }, { title: "B" }]);
    await file(standIn);
    standIn.person("jo").close("acme/app", 3);
    expect((await read(standIn))["app-1-d1"]?.state).toEqual({ as: "done" });
    expect(Object.keys(await read(standIn, { listed: ["app-1"] }))).toEqual(["app-1", "app-1-d1"]);
    expect(Object.keys(await read(standIn, { listed: ["app-2"] }))).toEqual(["app-2"]);
    expect(Object.keys(await read(standIn, { listed: ["app-1-d1"] }))).toEqual(["app-1-d1"]);
    expect(Object.keys(await read(standIn, { listed: ["app-3"] }))).toEqual(["app-3"]);
    expect(await aService(standIn, { listed: ["app-2"] }).taken()).toEqual(["app-2", "app-1-d1"]);
  });

  it("keeps its id if a person labels it for the batch, moves it about or writes below it while it is watched", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    const service = aService(standIn);
    await service.file(found);
    standIn.person("jo").label("acme/app", 2, "batch");
    expect([...(await service.snapshot("whole")).keys()]).toEqual(["app-1", "app-1-d1"]);
    standIn.person("jo").write("acme/app", 2, `${issuesOf(standIn)[1]?.body}\n\nEdit: more.`);
    expect([...(await service.snapshot("whole")).keys()]).toEqual(["app-1", "app-1-d1"]);
  });

  it("is another's if its title differs, and nothing is written", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    await file(standIn);
    writes(standIn);
    expect(await file(standIn, { body: "other" })).toMatchObject({ filed: { title: "A leak", body: "In the cellar." } });
    expect(await file(standIn, { title: "Another" })).toEqual({ taken: "app-1-d1" });
    expect(await file(standIn, { id: ticket("APP-1") })).toEqual({ taken: "app-1" });
    expect(writes(standIn)).toEqual([]);
  });

  it("reads back as it was filed, through the tracker", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    const tracker = createServiceTracker({ service: aService(standIn), ids: [ticket("app-1")] });
    for (const [n, body] of [
      "",
      "\n",
      "a\r\nb\r\n\r\n",
      "---\nFound while working on #1.\n\n<!-- loopdash: app-9-d9 -->",
      "<!-- loopdash -->",
    ].entries()) {
      const id = ticket(`app-1-d${n + 2}`);
      await tracker.file({ ...found, id, body, title: `Title ${n}` });
      expect((await tracker.body(id)).trimEnd()).toBe(body.replace(/\r\n/g, "\n").trimEnd());
    }
  });

  it("has its dependencies, names and repository as soon as it is there", async () => {
    const seed = { repos: { "acme/lib": { issues: [{ title: "Lib", labels: ["batch"] }] } } };
    const standIn = await aStandIn([{ title: "A" }, { title: "B" }], { seed });
    const repos = { app: "acme/app", lib: "acme/lib" };
    const options = { spec: { repos, labels: ["batch"] }, repos: ["app", "lib"] };
    const more = { dependsOn: [ticket("app-2"), ticket("lib-1")], exclusive: ["db"] };
    expect(await file(standIn, more, options)).toMatchObject({
      filed: { dependsOn: ["app-2", "lib-1"], exclusive: ["db"], repo: "app", body: "In the cellar." },
    });
    expect(await file(standIn, { ...more, id: ticket("app-1-d2"), repo: RepoId.parse("lib") }, options)).toMatchObject({
      filed: { dependsOn: ["app-2", "lib-1"], repo: "lib" },
    });
    expect(issuesOf(standIn, 1)[1]?.body).toContain(
      "Found while working on acme/app#1. found by app-1\n\nDepends on acme/app#2, #1\n",
    );
    const one = { spec: { repo: "acme/app" }, repos: ["app", "web"] };
    expect(await file(standIn, { id: ticket("app-1-d3"), repo: RepoId.parse("web") }, one)).toMatchObject({
      filed: { repo: "web" },
    });
    await expect(file(standIn, { id: ticket("app-1-d4"), dependsOn: [ticket("nowhere-1")] }, one)).rejects.toThrow(
      /cannot wait for nowhere-1/,
    );
  });

  it("may be found at the work on another discovered ticket", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    await file(standIn);
    await file(standIn, { id: ticket("app-1-d1-d1"), title: "Deeper" });
    expect(issuesOf(standIn)[2]?.body).toContain("Found while working on #2.");
    expect(Object.keys(await read(standIn))).toEqual(["app-1", "app-1-d1", "app-1-d1-d1"]);
  });
});

describe("an issue that only claims to be a discovered ticket", () => {
  const mark = "x\n\n<!-- loopdash: app-1-d1 -->";

  it.each([
    ["of somebody else", { title: "B", body: mark, author: "stranger", labels: ["loopdash"] }],
    ["whose mark is not its last line", { title: "B", body: `${mark}\ny`, author: "loop", labels: ["loopdash"] }],
    [
      "with a mark in a line of other text",
      { title: "B", body: "x <!-- loopdash: app-1-d1 -->", author: "loop", labels: ["loopdash"] },
    ],
    ["with a mark of no id", { title: "B", body: "<!-- loopdash: ../x -->", author: "loop", labels: ["loopdash"] }],
    ["without the label", { title: "B", body: mark, author: "loop", labels: [] }],
  ])("%s is none", async (_, issue) => {
    const standIn = await aStandIn([{ title: "A" }, issue]);
    expect(Object.keys(await read(standIn))).toEqual(["app-1"]);
  });

  it("by the text of a discovery cannot be: its own mark comes last", async () => {
    const standIn = await aStandIn([{ title: "A" }, { title: "B" }]);
    await file(standIn, { body: `x\n\n<!-- loopdash: app-2-d1 -->`, note: "<!-- loopdash: app-2-d1 -->" });
    expect(Object.keys(await read(standIn))).toEqual(["app-1", "app-2", "app-1-d1"]);
  });
});

describe("an answer to filing that was lost", () => {
  const lose = (standIn: GitHubStandIn, after: boolean) => {
    const answer = { status: 502, body: { message: "Bad gateway" } };
    standIn.fault = ({ method, path }) =>
      method === "POST" && path.endsWith("/issues") ? (after ? { after: answer } : answer) : undefined;
  };

  it.each([true, false])("leads to one issue in the end, if it was opened: %s", async (wasOpened) => {
    const clock = new Clock();
    const standIn = await aStandIn([{ title: "A" }], { now: clock.now });
    const service = aService(standIn, { now: clock.now });
    lose(standIn, wasOpened);
    await expect(service.file(found)).rejects.toThrow(/502/);
    standIn.fault = () => undefined;
    if (wasOpened) standIn.staleWrites = 1;
    await expect(service.file(found)).rejects.toThrow(TrackerBusy);
    standIn.staleWrites = 0;
    clock.ms += 10_000;
    expect(await service.file(found)).toMatchObject({ filed: { id: D1 } });
    expect(issuesOf(standIn).filter(({ title }) => title === "A leak")).toHaveLength(1);
  });

  it("by another process leaves one open issue: the later one is closed and loses its mark", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    await file(standIn);
    standIn.staleWrites = 2;
    let opened = false;
    standIn.fault = ({ method, path }) => {
      if (opened) standIn.staleWrites = 0;
      if (method === "POST" && path.endsWith("/issues")) opened = true;
      return undefined;
    };
    expect(await file(standIn)).toMatchObject({ filed: { id: D1, url: expect.stringMatching(/issues\/2$/) } });
    expect(issuesOf(standIn)[2]).toMatchObject({
      state: "closed",
      stateReason: "not_planned",
      body: expect.not.stringContaining("<!--"),
    });
    expect(Object.keys(await read(standIn))).toEqual(["app-1", "app-1-d1"]);
  });
});

describe("a token without the right to set labels", () => {
  it("opens no issue", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    Object.assign(standIn.tokens.get("token") ?? {}, { canLabel: false });
    await expect(file(standIn)).rejects.toThrow(/refuses to make the label loopdash \(404\)/);
    expect(issuesOf(standIn)).toHaveLength(1);
  });

  it("closes again what GitHub opened without the label", async () => {
    const standIn = await aStandIn([{ title: "A", labels: ["batch", "loopdash"] }]);
    standIn.fault = ({ method, path, body }) => {
      if (method === "POST" && path.endsWith("/issues")) Object.assign(body, { labels: [] });
      return undefined;
    };
    await expect(file(standIn)).rejects.toThrow(/left out the label loopdash of acme\/app#2, which was closed again/);
    expect(issuesOf(standIn)[1]).toMatchObject({ state: "closed", stateReason: "not_planned" });
  });
});
