import { describe, expect, it } from "vitest";
import { TrackerBusy } from "../../../../src/ports/tracker.ts";
import { aService, aStandIn, read, requests, takeLog, ticket } from "./stage.ts";

const many = (count: number) => Array.from({ length: count }, (_, n) => ({ title: `Title ${n + 1}` }));
const ids = (count: number) => Array.from({ length: count }, (_, n) => `app-${n + 1}`);

describe("what a reading costs", () => {
  it("is one request for 100 issues with a label", async () => {
    const standIn = await aStandIn(many(100));
    expect(Object.keys(await read(standIn))).toEqual(ids(100));
    const [log, ...more] = takeLog(standIn);
    expect(more).toEqual([]);
    expect(log?.counted).toBeLessThan(10);
  });

  it("is one request for 100 listed issues of three repositories", async () => {
    const seed = { repos: { "acme/web": { issues: many(30) }, "acme/api": { issues: many(30) } } };
    const standIn = await aStandIn(many(40), { seed });
    const repos = { app: "acme/app", web: "acme/web", api: "acme/api" };
    const listed = [
      ...ids(40),
      ...ids(30).map((id) => id.replace("app", "web")),
      ...ids(30).map((id) => id.replace("app", "api")),
    ];
    const tickets = await read(standIn, { spec: { repos }, listed });
    expect(Object.keys(tickets)).toEqual(listed);
    expect(tickets["web-3"]).toMatchObject({ repo: "web", title: "Title 3" });
    expect(requests(standIn)).toEqual(["POST /graphql"]);
  });

  it("is two requests if issues have more comments and blockers than come with them", async () => {
    const standIn = await aStandIn(many(100));
    const jo = standIn.person("jo");
    for (const number of [3, 7]) for (let n = 0; n < 90; n += 1) jo.comment("acme/app", number, `Comment ${n}.`);
    jo.block("acme/app", 5, ...Array.from({ length: 80 }, (_, n) => ({ repo: "acme/app", number: n + 10 })));
    jo.subIssues("acme/app", 6, ...Array.from({ length: 80 }, (_, n) => ({ repo: "acme/app", number: n + 10 })));
    const tickets = await read(standIn);
    expect(requests(standIn)).toEqual(["POST /graphql", "POST /graphql"]);
    expect(tickets["app-3"]?.body.match(/Comment \d+\./g)?.map((text) => Number(text.slice(8, -1)))).toEqual(
      Array.from({ length: 90 }, (_, n) => n),
    );
    expect(tickets["app-5"]?.dependsOn).toHaveLength(80);
    expect(tickets["app-6"]?.dependsOn).toHaveLength(80);
  });

  it("is a request for each 100 issues", async () => {
    const standIn = await aStandIn(many(250));
    expect(Object.keys(await read(standIn))).toEqual(ids(250));
    expect(requests(standIn)).toHaveLength(3);
    expect(Object.keys(await read(standIn, { listed: ids(250) }))).toEqual(ids(250));
    expect(requests(standIn)).toHaveLength(3);
  });
});

describe("which issues are tickets", () => {
  it("takes those with all of the labels, whatever their case, and no pull requests", async () => {
    const standIn = await aStandIn([
      { title: "Both", labels: ["batch", "Ready"] },
      { title: "One", labels: ["batch"] },
      { title: "Other", labels: ["ready"] },
      { title: "Pull", labels: ["batch", "ready"], isPullRequest: true },
      { title: "Closed", labels: ["batch", "ready"], state: "closed" },
    ]);
    expect(Object.keys(await read(standIn, { spec: { labels: ["batch", "ready"] } }))).toEqual(["app-1", "app-5"]);
  });

  it("refuses a query that finds nothing because it names what is not there", async () => {
    const standIn = await aStandIn([{ title: "A", labels: ["batch"], milestone: "1.0" }], {
      seed: { repos: { "acme/web": { issues: [{ title: "W", labels: ["ready"] }] } } },
    });
    const repos = { app: "acme/app", web: "acme/web" };
    await expect(read(standIn, { spec: { labels: ["bach"] } })).rejects.toThrow(
      'there is no label "bach" in acme/app: correct tracker.labels',
    );
    await expect(read(standIn, { spec: { repos, search: "is:open", labels: ["batch", "reddy"] } })).rejects.toThrow(
      'there is no label "reddy" in acme/app, acme/web: correct tracker.labels',
    );
    await expect(read(standIn, { spec: { search: "is:open", milestone: "2.0" } })).rejects.toThrow('no milestone "2.0"');
    expect(await read(standIn, { spec: { repos, labels: ["Batch", "Ready"] } })).toEqual({});
    const nowhere = { repos: { app: "acme/nope" } };
    await expect(read(standIn, { spec: { ...nowhere, labels: ["batch"] } })).rejects.toThrow(
      /^GitHub has no such repository, or the token may not see it \(.*'acme\/nope'.*\): correct tracker\.repo/,
    );
  });

  it("takes those of a milestone by its exact title", async () => {
    const standIn = await aStandIn([
      { title: "A", milestone: "1.0" },
      { title: "B", milestone: "1.0.1" },
      { title: "C", milestone: "1.0", labels: [] },
    ]);
    expect(Object.keys(await read(standIn, { spec: { milestone: "1.0" } }))).toEqual(["app-1"]);
    const { labels: _, ...all } = { labels: [], milestone: "1.0" };
    expect(Object.keys(await read(standIn, { spec: { ...all, labels: undefined as never } }))).toEqual(["app-1", "app-3"]);
    await expect(read(standIn, { spec: { milestone: "2.0" } })).rejects.toThrow(
      'there is no milestone "2.0" in acme/app: correct tracker.milestone',
    );
  });

  it("takes the issues of a project that are of the batch's repositories, and neither drafts nor archived items", async () => {
    const issue = (number: number, repo = "acme/app") => ({ issue: { repo, number } });
    const items = [issue(2), { draft: "An idea" }, issue(3), { ...issue(4), isArchived: true }, issue(1, "acme/other"), issue(1)];
    const seed = { repos: { "acme/other": { issues: many(1) } }, projects: [{ owner: "acme", number: 7, items }] };
    const standIn = await aStandIn([...many(2), { title: "Pull", isPullRequest: true }, { title: "D" }], { seed });
    expect(Object.keys(await read(standIn, { spec: { project: "acme/7" } }))).toEqual(["app-2", "app-1"]);
    await expect(read(standIn, { spec: { project: "acme/8" } })).rejects.toThrow(/ProjectV2 with the number 8/);
    await expect(read(standIn, { spec: { project: "nobody/8" } })).rejects.toThrow("there is no project nobody/8");
  });

  it("takes what a search finds, with the other parts of the query, in each repository", async () => {
    const seed = { repos: { "acme/web": { issues: [{ title: "fix the web", labels: ["batch"] }] } } };
    const standIn = await aStandIn([{ title: "fix it" }, { title: "fix that", labels: [] }, { title: "break it" }], { seed });
    const repos = { app: "acme/app", web: "acme/web" };
    const spec = { repos, search: "fix is:open", labels: ["batch"] };
    expect(Object.keys(await read(standIn, { spec }))).toEqual(["app-1", "web-1"]);
  });

  it("keeps an issue that has dropped out of the query, as long as it is there", async () => {
    const standIn = await aStandIn([{ title: "fix it" }, { title: "fix that" }]);
    const service = aService(standIn, { spec: { search: "fix is:open" } });
    await service.snapshot("whole");
    standIn.person("jo").close("acme/app", 1);
    for (const how of ["changes", "whole"] as const)
      expect([...(await service.snapshot(how)).values()].map(({ state }) => state.as)).toEqual(["done", "open"]);
    standIn.person("jo").remove("acme/app", 1);
    expect([...(await service.snapshot("whole")).keys()]).toEqual(["app-2"]);
  });

  it("leaves out listed issues that are not there: unknown, deleted, transferred, or pull requests", async () => {
    const seed = { repos: { "acme/web": {} } };
    const standIn = await aStandIn([...many(3), { title: "Pull", isPullRequest: true }], { seed });
    standIn.person("jo").remove("acme/app", 1);
    standIn.person("jo").transfer("acme/app", 2, "acme/web");
    const listed = ["app-1", "app-2", "app-3", "app-4", "app-99", "web-1", "app-x"];
    expect(Object.keys(await read(standIn, { listed }))).toEqual(["app-3"]);
  });

  it("takes no other issue for a listed one, should GitHub follow a transfer", async () => {
    const standIn = await aStandIn(many(2));
    standIn.alter = (answer) => {
      const plain = JSON.parse(JSON.stringify(answer));
      plain.data.r0.n1 = plain.data.r0.n2;
      return plain;
    };
    expect(Object.keys(await read(standIn, { listed: ["app-1", "app-2"] }))).toEqual(["app-2"]);
    standIn.alter = (answer) => {
      const plain = JSON.parse(JSON.stringify(answer));
      plain.data.r0.n1.repository.id = "R_other";
      return plain;
    };
    expect(Object.keys(await read(standIn, { listed: ["app-1", "app-2"] }))).toEqual(["app-2"]);
  });

  it("finds a repository that was renamed, also for changes and writes", async () => {
    const standIn = await aStandIn(many(1));
    const service = aService(standIn);
    await service.snapshot("whole");
    Object.assign(standIn.state.repos[0] ?? {}, { fullName: "acme/renamed", formerName: "acme/app" });
    await service.snapshot("whole");
    standIn.person("jo").retitle("acme/renamed", 1, "Another");
    expect((await service.snapshot("changes")).get(ticket("app-1"))?.title).toBe("Another");
    await service.set({ id: ticket("app-1"), state: { as: "done" }, note: "landed", from: undefined });
    expect(standIn.state.repos[0]?.issues[0]?.state).toBe("closed");
  });

  it.each([
    ["acme/app.web", "app.web-1"],
    ["acme/.github", "github-1"],
    ["acme/a..b", "a-.b-1"],
    [`acme/${"x".repeat(90)}`, `${"x".repeat(40)}-1`],
  ])("names the tickets of %s so that they fit", async (repo, id) => {
    const standIn = await aStandIn([], { seed: { repos: { [repo]: { issues: [{ title: "A", labels: ["batch"] }] } } } });
    expect(Object.keys(await read(standIn, { spec: { repo } }))).toEqual([id]);
    expect(Object.keys(await read(standIn, { spec: { repo }, listed: [id] }))).toEqual([id]);
  });

  it("says that it cannot see a repository", async () => {
    const seed = { repos: { "acme/secret": { issues: many(1), hiddenFrom: ["loop"] } } };
    await expect(read(await aStandIn([], { seed }), { spec: { repo: "acme/secret" } })).rejects.toThrow(
      "GitHub has no such repository, or the token may not see it (Could not resolve to a Repository with the name 'acme/secret'.",
    );
  });
});

describe("pages that change while they are read", () => {
  it("are read again if an issue comes up or goes in between", async () => {
    const standIn = await aStandIn(many(250));
    let queries = 0;
    standIn.fault = () => {
      queries += 1;
      if (queries === 2) standIn.person("jo").unlabel("acme/app", 5, "batch");
      return undefined;
    };
    expect(Object.keys(await read(standIn))).toEqual(ids(250).filter((id) => id !== "app-5"));
    expect(queries).toBe(5);
  });

  it("are given up if they keep changing", async () => {
    const standIn = await aStandIn(many(250));
    let queries = 0;
    standIn.fault = () => {
      queries += 1;
      if (queries % 3 === 2) standIn.person("jo").unlabel("acme/app", queries, "batch");
      return undefined;
    };
    await expect(read(standIn)).rejects.toThrow(TrackerBusy);
    expect(queries).toBeLessThan(10);
  });

  it("are read again if an issue changes between its own pages", async () => {
    const standIn = await aStandIn(many(1));
    const jo = standIn.person("jo");
    for (let n = 0; n < 60; n += 1) jo.comment("acme/app", 1, `Comment ${n}.`);
    const clock = Date.now() + 5000;
    const issue = standIn.state.repos[0]?.issues[0];
    let queries = 0;
    standIn.fault = () => {
      queries += 1;
      if (queries === 2) Object.assign(issue ?? {}, { title: "Another", updatedAt: clock });
      return undefined;
    };
    expect((await read(standIn))["app-1"]?.title).toBe("Another");
    expect(queries).toBe(4);
  });

  it("are read again if as many came as went", async () => {
    const standIn = await aStandIn([...many(250), { title: "Other", labels: [] }]);
    let queries = 0;
    standIn.fault = () => {
      queries += 1;
      if (queries !== 2) return undefined;
      standIn.person("jo").unlabel("acme/app", 5, "batch");
      standIn.person("jo").label("acme/app", 251, "batch");
      return undefined;
    };
    expect(Object.keys(await read(standIn))).toEqual(ids(251).filter((id) => id !== "app-5"));
    expect(queries).toBe(6);
  });

  it("lose no ticket if GitHub gives another one in its place", async () => {
    const standIn = await aStandIn(many(101));
    let last: unknown;
    let queries = 0;
    standIn.alter = (answer) => {
      queries += 1;
      const plain = JSON.parse(JSON.stringify(answer));
      const { nodes } = plain.data.r0.l1;
      if (queries === 2) nodes[0] = last;
      last = nodes.at(-1);
      return plain;
    };
    expect(Object.keys(await read(standIn))).toEqual(ids(101));
    expect(queries).toBe(4);
  });

  it("lose no ticket if GitHub gives one twice", async () => {
    const standIn = await aStandIn(many(101));
    let queries = 0;
    standIn.fault = ({ body }) => {
      queries += 1;
      if (queries === 2) Object.assign(body["variables"] as object, { l1_after: Buffer.from("cursor:99").toString("base64") });
      return undefined;
    };
    expect(Object.keys(await read(standIn))).toEqual(ids(101));
    expect(queries).toBe(4);
  });
});

describe("a server that lags behind", () => {
  it("is asked again, and never believed", async () => {
    const standIn = await aStandIn(many(2));
    const service = aService(standIn);
    await service.snapshot("whole");
    const issue = standIn.state.repos[0]?.issues[0];
    Object.assign(issue ?? {}, { state: "closed", stateReason: "completed", updatedAt: Date.now() + 60_000 });
    await service.snapshot("whole");
    Object.assign(issue ?? {}, { state: "open", stateReason: null, updatedAt: Date.now() - 60_000 });
    await expect(service.snapshot("whole")).rejects.toThrow("GitHub answers with an older state of an issue than before");
  });
});
