import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freezeProgram } from "../../src/adapters/oracle/frozen-oracle.ts";
import { withoutNetwork } from "../../src/adapters/sandbox/without-network.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { ServicePlace } from "../../src/ports/oracle.ts";
import { bundleOracle } from "../helpers/bundle-oracle.ts";
import { scratchFolder } from "../helpers/scratch.ts";

const folder = scratchFolder();

interface Asked {
  readonly authorization: string | undefined;
  readonly ids: readonly string[];
}

/** What the service answers to the n-th request. A number is a status without a body. */
type Answer = (ids: readonly string[], n: number) => object | string | number | "reset";

let server: Server;
let asked: Asked[];
let answer: Answer;

beforeEach(async () => {
  asked = [];
  server = createServer(async (request, response) => {
    const { variables } = (await json(request)) as { variables: { ids: string[] } };
    asked.push({ authorization: request.headers.authorization, ids: variables.ids });
    const said = answer(variables.ids, asked.length);
    if (said === "reset") return void response.destroy();
    if (typeof said === "number") return void response.writeHead(said).end("{}");
    response.end(typeof said === "string" ? said : JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** The verdict on these tickets; each has the key `key-ID`. */
async function judge(kind: ServicePlace["kind"], ids: readonly string[], over: Partial<ServicePlace> = {}, own?: Uint8Array) {
  const tickets = ids.map((id) => TicketId.parse(id));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const authorization = async (refused?: string) => (refused === undefined ? "first" : "second");
  const openStandIn = () => Promise.reject(new Error("no canary here"));
  const bytes = own ?? (await bundleOracle());
  const program = freezeProgram({
    bytes,
    scratch: folder(),
    service: { access: { url, authorization }, openStandIn, withoutNetwork: withoutNetwork(process.env["PATH"] ?? "") },
  });
  const keys = Object.fromEntries(ids.map((id) => [id, `key-${id}`]));
  const tracker: ServicePlace = { kind, canceled: "open", keys, repos: kind === "github" ? { app: "acme/app" } : {}, ...over };
  const { judgement } = await program.judge({ version: 1, tracker, tickets });
  return judgement;
}

/** An issue of Linear that is completed, with changes. */
function linear(id: string, over: object = {}): object {
  const page = { nodes: [], pageInfo: { hasNextPage: false } };
  const names = { id: `key-${id}`, identifier: id, previousIdentifiers: [], trashed: null, archivedAt: null };
  return {
    ...names,
    updatedAt: "2026-01-01T00:00:00Z",
    state: { type: "completed" },
    labels: { nodes: [] },
    comments: page,
    ...over,
  };
}

const inLinear = (...nodes: object[]) => ({ data: { issues: { nodes, pageInfo: { hasNextPage: false } } } });

/** An issue on GitHub that is closed as completed, with changes. */
function github(id: string, over: object = {}): object {
  const names = {
    __typename: "Issue",
    id: `key-${id}`,
    number: Number(/\d+/.exec(id)?.[0]),
    repository: { id: "R_1", nameWithOwner: "acme/app" },
  };
  const state = { updatedAt: "2026-01-01T00:00:00Z", state: "CLOSED", stateReason: "COMPLETED" };
  return { ...names, ...state, labels: { nodes: [] }, comments: { nodes: [] }, ...over };
}

const onGitHub = (...nodes: (object | null)[]) => ({ data: { nodes } });
const gate = { labels: { nodes: [{ name: "human-gated" }] } };
const type = (name: string) => ({ state: { type: name } });
const person = { user: { app: false, isMe: false }, botActor: null };
const comment = (body: string, createdAt: string, more: object = person) => ({ body, createdAt, ...more });
const AT = "2026-01-01T00:00:00Z";
const comments = (...nodes: object[]) => ({ comments: { nodes, pageInfo: { hasNextPage: false } } });

describe("Linear", () => {
  test("250 tickets are judged by one request", async () => {
    answer = (ids) => inLinear(...ids.map((key) => linear(key.slice(4))));
    const ids = Array.from({ length: 250 }, (_, at) => `ENG-${at + 1}`);
    expect(await judge("linear", ids)).toMatchObject({ verdict: "done", counts: { done: 250 } });
    expect(asked.map(({ ids: each }) => each.length)).toEqual([250]);
  });

  test("pages are read again until nothing has changed between two readings", async () => {
    const ids = Array.from({ length: 251 }, (_, at) => `ENG-${at + 1}`);
    answer = (keys, n) =>
      inLinear(...keys.map((key) => linear(key.slice(4), n === 2 ? { updatedAt: "2026-01-01T00:00:09Z" } : {})));
    expect(await judge("linear", ids)).toMatchObject({ verdict: "done" });
    expect(asked).toHaveLength(6);
    asked = [];
    answer = (keys, n) => inLinear(...keys.map((key) => linear(key.slice(4), { updatedAt: `2026-01-01T00:00:${10 + n}Z` })));
    expect(await judge("linear", ids)).toMatchObject({ verdict: "unjudged", problem: expect.stringContaining("kept changing") });
  });

  test.each(["triage", "backlog", "unstarted", "started", "canceled", "duplicate"])("%s is open", async (name) => {
    answer = () => inLinear(linear("ENG-1"), linear("ENG-2", type(name)));
    expect(await judge("linear", ["ENG-1", "ENG-2"])).toMatchObject({ verdict: "not-done", open: ["ENG-2"] });
  });

  test("a step of 500 characters counts as Linear keeps it, with escapes and links", async () => {
    const kept = async (step: string) => {
      answer = () => inLinear(linear("ENG-1", { ...type("started"), ...gate, ...comments(comment(`Human step: ${step}`, AT)) }));
      return judge("linear", ["ENG-1"]);
    };
    expect(await kept("a\\_".repeat(250))).toMatchObject({ verdict: "done", counts: { gated: 1 } });
    const page = `https://x.example/${"a".repeat(400)}`;
    expect(await kept(`see [${page}](<${page}>)`)).toMatchObject({ verdict: "done", counts: { gated: 1 } });
    expect(await kept("a\\_".repeat(251))).toMatchObject({ verdict: "not-done", open: ["ENG-1"] });
  });

  test("a canceled ticket is done if the batch says so", async () => {
    answer = () => inLinear(linear("ENG-1", type("canceled")), linear("ENG-2", type("duplicate")));
    expect(await judge("linear", ["ENG-1", "ENG-2"], { canceled: "settled" })).toMatchObject({ verdict: "done" });
  });

  test.each(["Completed", "completed ", "\u0441ompleted", "done", ""])("the type %j is none that it knows", async (name) => {
    answer = () => inLinear(linear("ENG-1", type(name)));
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict: "unjudged" });
  });

  test.each([
    ["a person", person, "done"],
    ["the token's own app", { user: { app: true, isMe: true }, botActor: null }, "done"],
    ["another app", { user: { app: true, isMe: false }, botActor: null }, "not-done"],
    ["an integration", { user: null, botActor: { type: "github" } }, "not-done"],
    ["an integration in somebody's name", { user: { app: false, isMe: false }, botActor: { type: "slack" } }, "not-done"],
  ])("%s may or may not say what is left", async (_who, by, verdict) => {
    const said = comments(comment("Human step: press the button", "2026-01-02T00:00:00Z", by));
    answer = () => inLinear(linear("ENG-1", { ...type("started"), ...gate, ...said }));
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict });
  });

  test("a gate is the exact label and the newest comment that begins with the step", async () => {
    const said = comments(
      comment("Human step: press the button\n\nmore", "2026-01-02T00:00:00Z"),
      comment("Human step: old", "2026-01-01T00:00:00Z"),
      comment("Human step:    ", "2026-01-03T00:00:00Z"),
    );
    answer = () => inLinear(linear("ENG-1", { ...type("started"), ...gate, ...said }));
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict: "done", counts: { gated: 1 } });
    const label = { labels: { nodes: [{ name: "Human-gated" }, { name: "human-gated " }] } };
    answer = () => inLinear(linear("ENG-1", { ...type("started"), ...label, ...said }));
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict: "not-done" });
    const imitations = comments(
      comment("x\nHuman step: y", "2026-01-02T00:00:00Z"),
      comment("human step: y", "2026-01-02T00:00:00Z"),
    );
    answer = () => inLinear(linear("ENG-1", { ...type("started"), ...gate, ...imitations }));
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict: "not-done" });
  });

  test("only members of the organization say what is left to do", async () => {
    const said = comment("Human step: press it", "2026-01-02T00:00:00Z", { user: null, botActor: null });
    answer = () => inLinear(linear("ENG-1", { ...type("started"), ...gate, ...comments(said) }));
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict: "not-done", open: ["ENG-1"] });
  });

  test.each([
    ["another issue under the ticket's key", () => inLinear(linear("ENG-1", { identifier: "ENG-9" }))],
    ["an issue that was not asked for", () => inLinear(linear("ENG-1"), linear("ENG-2"))],
    ["an issue twice", () => inLinear(linear("ENG-1"), linear("ENG-1"))],
    ["an archived issue", () => inLinear(linear("ENG-1", { archivedAt: "2026-01-01T00:00:00Z" }))],
    ["an issue in the trash", () => inLinear(linear("ENG-1", { trashed: true }))],
    ["no issue", () => inLinear()],
    ["data beside errors", () => ({ ...inLinear(linear("ENG-1")), errors: [{ message: "half of it is missing" }] })],
    ["a missing field", () => inLinear({ id: "key-ENG-1", state: { type: "completed" } })],
    [
      "more comments than it reads",
      () => inLinear(linear("ENG-1", { ...type("started"), ...gate, comments: { nodes: [], pageInfo: { hasNextPage: true } } })),
    ],
    ["a page with another after it", () => ({ data: { issues: { nodes: [linear("ENG-1")], pageInfo: { hasNextPage: true } } } })],
    ["400", () => 400],
    ["403", () => 403],
  ])("%s cannot be judged", async (_what, said) => {
    answer = said;
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict: "unjudged" });
  });

  test("an issue that moved to another team is the same ticket", async () => {
    answer = () => inLinear(linear("ENG-1", { identifier: "OPS-4", previousIdentifiers: ["ENG-1"] }));
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict: "done" });
  });

  test("what may pass is asked again, and half an answer is none", async () => {
    answer = (_, n) => [503, "reset" as const, '{"data":{"issues":{"no', inLinear(linear("ENG-1"))][n - 1] ?? 500;
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict: "done" });
    expect(asked).toHaveLength(4);
    answer = () => 429;
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict: "unjudged", problem: expect.stringContaining("429") });
  });

  test("a token that is refused is fetched anew, once", async () => {
    answer = (_, n) => (n === 1 ? 401 : inLinear(linear("ENG-1")));
    expect(await judge("linear", ["ENG-1"])).toMatchObject({ verdict: "done" });
    expect(asked.map(({ authorization }) => authorization)).toEqual(["first", "second"]);
  });
});

test("the process of the oracle reaches its line, and nothing else", async () => {
  const { port } = server.address() as AddressInfo;
  const source = `
    const fs = require("node:fs"), net = require("node:net");
    const no = (why) => { fs.writeSync(2, "cannot judge: " + why + "\\n"); process.exitCode = 2; };
    fs.writeSync(3, "no request\\n");
    const socket = net.connect(${port}, "127.0.0.1", () => { no("it reached a host"); socket.destroy(); });
    socket.on("error", ({ code }) => no(code));
  `;
  expect(await judge("linear", ["ENG-1"], {}, new TextEncoder().encode(source))).toMatchObject({
    verdict: "unjudged",
    problem: expect.stringMatching(/ENETUNREACH|ECONNREFUSED|EPERM/),
  });
});

describe("GitHub", () => {
  test("100 tickets are judged by one request", async () => {
    answer = (ids) => onGitHub(...ids.map((key) => github(key.slice(4))));
    const ids = Array.from({ length: 100 }, (_, at) => `app-${at + 1}`);
    expect(await judge("github", ids)).toMatchObject({ verdict: "done", counts: { done: 100 } });
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["an open issue", { state: "OPEN", stateReason: null }],
    ["a reopened one", { state: "OPEN", stateReason: "REOPENED" }],
    ["one that is not planned", { stateReason: "NOT_PLANNED" }],
    ["a duplicate", { stateReason: "DUPLICATE" }],
  ])("%s is open", async (_what, over) => {
    answer = () => onGitHub(github("app-1", over));
    expect(await judge("github", ["app-1"])).toMatchObject({ verdict: "not-done", open: ["app-1"] });
  });

  test("only people of the repository, or the token's own user, say what is left to do", async () => {
    const by = (more: object) => {
      const said = comment("Human step: press it", "2026-01-02T00:00:00Z", {
        authorAssociation: "NONE",
        viewerDidAuthor: false,
        isMinimized: false,
        ...more,
      });
      return onGitHub(github("app-1", { state: "OPEN", stateReason: null, ...gate, comments: { nodes: [said] } }));
    };
    for (const more of [{ viewerDidAuthor: true }, { authorAssociation: "MEMBER" }, { authorAssociation: "OWNER" }]) {
      answer = () => by(more);
      expect(await judge("github", ["app-1"]), JSON.stringify(more)).toMatchObject({ verdict: "done", counts: { gated: 1 } });
    }
    for (const more of [
      {},
      { authorAssociation: "CONTRIBUTOR" },
      { authorAssociation: "FIRST_TIMER" },
      { authorAssociation: "OWNER", isMinimized: true },
    ]) {
      answer = () => by(more);
      expect(await judge("github", ["app-1"]), JSON.stringify(more)).toMatchObject({ verdict: "not-done" });
    }
  });

  test.each([
    ["a transferred issue", () => onGitHub(github("app-1", { repository: { id: "R_1", nameWithOwner: "acme/other" } }))],
    ["another issue of the repository", () => onGitHub(github("app-1", { number: 2 }))],
    ["a deleted issue", () => onGitHub(null)],
    ["a pull request", () => onGitHub({ __typename: "PullRequest" })],
    ["an unknown state", () => onGitHub(github("app-1", { stateReason: "SHIPPED" }))],
    ["errors beside data", () => ({ ...onGitHub(github("app-1")), errors: [{ type: "SERVICE_UNAVAILABLE" }] })],
  ])("%s cannot be judged", async (_what, said) => {
    answer = said;
    expect(await judge("github", ["app-1"])).toMatchObject({ verdict: "unjudged" });
  });

  test("a repository is known by its id, whatever it is called by now", async () => {
    const repoIds = { app: "R_1" };
    answer = () => onGitHub(github("app-1", { repository: { id: "R_1", nameWithOwner: "new-owner/renamed" } }));
    expect(await judge("github", ["app-1"], { repoIds })).toMatchObject({ verdict: "done" });
    answer = () => onGitHub(github("app-1", { repository: { id: "R_2", nameWithOwner: "acme/app" } }));
    expect(await judge("github", ["app-1"], { repoIds })).toMatchObject({ verdict: "unjudged" });
  });

  test("a ticket that an agent found has its parent's name and a number of its own", async () => {
    answer = () => onGitHub(github("app-1"), github("app-1-d1", { number: 57 }));
    expect(await judge("github", ["app-1", "app-1-d1"])).toMatchObject({ verdict: "done" });
  });
});
