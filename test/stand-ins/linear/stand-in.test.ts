import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LinearClient, RatelimitedLinearError } from "@linear/sdk";
import { expect, onTestFinished, test } from "vitest";
import { aWorld } from "../../adapters/tracker/linear/stage.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { LinearStandIn, type LinearStandInOptions } from "./stand-in.ts";

const folder = scratchFolder();

async function opened(options: LinearStandInOptions = {}): Promise<LinearStandIn> {
  const standIn = await LinearStandIn.start({ world: aWorld(3), ...options });
  onTestFinished(() => standIn.stop());
  return standIn;
}

async function ask(url: string, query: string, variables: object = {}, token: string = LinearStandIn.TOKEN) {
  const headers = { "content-type": "application/json", authorization: token };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
}

test("answers the SDK's own queries and writes", async () => {
  const standIn = await opened();
  const client = new LinearClient({ apiKey: LinearStandIn.TOKEN, apiUrl: standIn.url });
  expect((await client.viewer).displayName).toBe("loopdash");
  expect((await client.organization).name).toBe("Acme");
  expect((await client.createComment({ issueId: "ENG-1", body: "hello" })).success).toBe(true);
  expect(standIn.world.comments).toMatchObject([{ body: "hello" }]);
});

test.each([
  ["an unknown field", "{ issues { nodes { nonsense } } }", /Cannot query field/],
  ["an unknown filter", '{ issues(filter: { nonsense: { eq: "x" } }) { nodes { id } } }', /nonsense/],
  ["no GraphQL", "{ issues", /Syntax Error/],
  ["too many points", "{ issues(first: 250) { nodes { id comments { nodes { id } } } } }", /Query too complex: \d+ points/],
])("refuses %s with 400", async (_, query, message) => {
  const { status, body } = await ask((await opened()).url, query);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toMatch(message);
});

test.each([
  ["a page above 250", "{ issues(first: 251) { nodes { id } } }", /first must be from 1 to 250/],
  ["an issue that is not there", '{ issue(id: "ENG-9") { id } }', /Entity not found: Issue/],
  ["a state of another team", 'mutation { issueUpdate(id: "ENG-1", input: { stateId: "x" }) { success } }', /Discrepancy/],
])("answers with an error: %s", async (_, query, message) => {
  expect(JSON.stringify((await ask((await opened()).url, query)).body)).toMatch(message);
});

test("pages from the newest on, with cursors", async () => {
  const { url } = await opened({ world: aWorld(5) });
  const query = "query Q($after: String) { issues(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }";
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const { body } = await ask(url, query, { after });
    const { nodes, pageInfo } = (
      body["data"] as { issues: { nodes: { id: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } } }
    ).issues;
    seen.push(...nodes.map(({ id }) => id));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  expect(new Set(seen).size).toBe(5);
  expect(seen).toHaveLength(5);
});

test("counts requests and points of an hour, and refuses with 400 RATELIMITED, which the SDK knows", async () => {
  const standIn = await opened({ budget: { requests: 2, complexity: 1_000 } });
  const first = await ask(standIn.url, "{ viewer { id } }");
  expect(first.headers.get("x-complexity")).toBe("2");
  expect(first.headers.get("x-ratelimit-requests-remaining")).toBe("1");
  expect(first.headers.get("x-ratelimit-complexity-remaining")).toBe("998");
  await ask(standIn.url, "{ viewer { id } }");
  const client = new LinearClient({ apiKey: LinearStandIn.TOKEN, apiUrl: standIn.url });
  const error = await client.viewer.catch((each: unknown) => each);
  expect(error).toBeInstanceOf(RatelimitedLinearError);
  expect(error).toMatchObject({ status: 400, requestsRemaining: 0 });
  standIn.advance(3_600_000);
  expect((await ask(standIn.url, "{ viewer { id } }")).status).toBe(200);
});

test("takes each token in its own form, until it expires or is revoked", async () => {
  const standIn = await opened({ now: () => 1_000 });
  standIn.grant("lin_oauth_1", { user: "jo", until: 2_000 });
  const status = async (token: string) => (await ask(standIn.url, "{ viewer { id } }", {}, token)).status;
  expect(await status("Bearer lin_oauth_1")).toBe(200);
  expect(await status("lin_oauth_1")).toBe(401);
  expect(await status(`Bearer ${LinearStandIn.TOKEN}`)).toBe(401);
  standIn.advance(1_000);
  expect(await status("Bearer lin_oauth_1")).toBe(401);
  standIn.revoke(LinearStandIn.TOKEN);
  expect(await status(LinearStandIn.TOKEN)).toBe(401);
  expect(JSON.stringify(standIn.log)).not.toContain("lin_");
});

test("serves a world of a file from a process of its own", async () => {
  const file = join(folder(), "world.json");
  writeFileSync(file, JSON.stringify(aWorld(2)));
  const child = spawn(process.execPath, [fileURLToPath(new URL("./serve.ts", import.meta.url)), file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    child.kill();
    await once(child, "close");
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { body } = await ask(line.toString().trim(), "{ issues { nodes { identifier } } }");
  expect(JSON.stringify(body)).toMatch(/ENG-1.*ENG-2|ENG-2.*ENG-1/);
});
