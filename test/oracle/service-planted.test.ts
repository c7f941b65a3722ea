import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freezeProgram } from "../../src/adapters/oracle/frozen-oracle.ts";
import { DOCUMENTS } from "../../src/adapters/oracle/service-documents.ts";
import { withoutNetwork } from "../../src/adapters/sandbox/without-network.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { scratchFolder } from "../helpers/scratch.ts";

const folder = scratchFolder();
const TOKEN = "lin_api_token-of-the-service";
const KINDS = ["linear", "github"] as const;
const ID = { linear: "ENG-1", github: "app-1" } as const;

let server: Server;
/** The bodies of requests to the service. */
let asked: string[];

beforeEach(async () => {
  asked = [];
  server = createServer(async (request, response) => {
    asked.push(await text(request));
    response.end('{"data":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** The verdict of a planted oracle: a script with `fs`, `send(text)`, `answer()`, which is empty once the line is closed, and `say(text)`. */
async function planted(kind: (typeof KINDS)[number], script: string) {
  const source = `const fs = require("node:fs");
    const send = (text) => fs.writeSync(3, text);
    const answer = () => { const bytes = Buffer.alloc(65536); return bytes.toString("utf8", 0, fs.readSync(3, bytes)); };
    const say = (text) => { fs.writeSync(2, "cannot judge: " + text + "\\n"); process.exitCode = 2; };
    ${script}`;
  const { port } = server.address() as AddressInfo;
  const program = freezeProgram({
    bytes: new TextEncoder().encode(source),
    scratch: folder(),
    service: {
      access: { url: `http://127.0.0.1:${port}/`, authorization: () => Promise.resolve(TOKEN) },
      openStandIn: () => Promise.reject(new Error("no canary here")),
      withoutNetwork: withoutNetwork(process.env["PATH"] ?? ""),
    },
  });
  const tickets = [TicketId.parse(ID[kind])];
  const repos: Readonly<Record<string, string>> = kind === "github" ? { app: "acme/app" } : {};
  const tracker = { kind, canceled: "open", keys: { [ID[kind]]: "key" }, repos } as const;
  const { judgement, exitCode } = await program.judge({ version: 1, tracker, tickets });
  return { judgement, exitCode };
}

/** What a planted oracle asks in place of its document. */
const REQUESTS: Readonly<Record<string, (document: string) => unknown>> = {
  "a mutation": () => ({
    document: 'mutation { issueUpdate(id: "ENG-1", input: { stateId: "done" }) { success } }',
    ids: ["key"],
  }),
  "another query": () => ({ document: "query { viewer { email } }", ids: ["key"] }),
  "its document with a mutation behind": (document) => ({ document: `${document}\nmutation { a }`, ids: ["key"] }),
  "its document with a blank behind": (document) => ({ document: `${document} `, ids: ["key"] }),
  "variables of its own": (document) => ({ document, ids: ["key"], variables: { ids: [], input: {} } }),
  "an address of its own": (document) => ({ document, ids: ["key"], url: "http://127.0.0.1:1/" }),
  "keys that are none": (document) => ({ document, ids: [{ key: "key" }] }),
  "too many keys": (document) => ({ document, ids: Array.from({ length: 251 }, () => "key") }),
  "the other service's document": (document) => ({
    document: document === DOCUMENTS.linear ? DOCUMENTS.github : DOCUMENTS.linear,
    ids: ["key"],
  }),
  "a list": (document) => [{ document, ids: ["key"] }],
};

describe.each(KINDS)("a planted oracle of %s that asks for", (kind) => {
  test.each(Object.entries(REQUESTS))("%s gets nothing, and the service hears nothing", async (_, request) => {
    const line = `${JSON.stringify(request(DOCUMENTS[kind]))}\n`;
    const { judgement, exitCode } = await planted(kind, `send(${JSON.stringify(line)}); say("it got [" + answer() + "]");`);
    expect(asked).toEqual([]);
    expect({ judgement, exitCode }).toMatchObject({
      judgement: { verdict: "unjudged", problem: expect.stringContaining("it got []") },
      exitCode: 2,
    });
  });

  test("more than a request has characters gets nothing", async () => {
    const { judgement, exitCode } = await planted(
      kind,
      `try { for (let sent = 0; sent < 64; sent += 1) send("x".repeat(4096)); } catch {} try { say("it got [" + answer() + "]"); } catch (error) { say("it got [] " + error.code); }`,
    );
    expect(asked).toEqual([]);
    expect({ judgement, exitCode }).toMatchObject({
      judgement: { verdict: "unjudged", problem: expect.stringContaining("it got []") },
      exitCode: 2,
    });
  });

  test("its document, and then for a mutation, gets the answer to the first alone", async () => {
    const good = `${JSON.stringify({ document: DOCUMENTS[kind], ids: ["key"] })}\n`;
    const bad = `${JSON.stringify({ document: "mutation { a }", ids: ["key"] })}\n`;
    const { judgement, exitCode } = await planted(
      kind,
      `send(${JSON.stringify(good + bad)}); let all = ""; for (let more = answer(); more !== ""; more = answer()) all += more; say("it got " + all.split("\\n").length);`,
    );
    expect(asked.map((body) => JSON.parse(body))).toEqual([{ query: DOCUMENTS[kind], variables: { ids: ["key"] } }]);
    expect({ judgement, exitCode }).toMatchObject({
      judgement: { verdict: "unjudged", problem: expect.stringContaining("it got 2") },
      exitCode: 2,
    });
  });

  test("whatever it has finds no token", async () => {
    const { judgement } = await planted(
      kind,
      `send(${JSON.stringify(`${JSON.stringify({ document: DOCUMENTS[kind], ids: ["key"] })}\n`)});
      const seen = [answer(), JSON.stringify(process.env), JSON.stringify(process.argv), JSON.stringify(process.execArgv),
        ...fs.readdirSync(__dirname).map((name) => fs.readFileSync(__dirname + "/" + name, "utf8"))].join(" ");
      const inherited = [];
      for (let fd = 3; fd < 64; fd += 1) try { if (fs.fstatSync(fd).isSocket()) inherited.push(fd); } catch {}
      say("token: " + seen.includes("lin_api_" + "token-of") + ", environment: " + Object.keys(process.env) + ", line: " + inherited);`,
    );
    expect(asked).toHaveLength(1);
    expect(judgement).toMatchObject({
      verdict: "unjudged",
      problem: expect.stringMatching(/token: false, environment: (?:PWD)?, line: 3$/),
    });
  });
});

test("a planted oracle gets no mutation through, whatever the service", async () => {
  const line = `${JSON.stringify({ document: "mutation { a }", ids: ["key"] })}\n`;
  for (const kind of KINDS) await planted(kind, `send(${JSON.stringify(line)}); say("it got [" + answer() + "]");`);
  expect(asked).toEqual([]);
});
