import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { GitHubStandIn } from "./server.ts";

const SERVE = fileURLToPath(new URL("./serve.ts", import.meta.url));
const issues = Array.from({ length: 120 }, (_, n) => ({ title: `Title ${n + 1}` }));

async function aStandIn(): Promise<GitHubStandIn> {
  const standIn = await new GitHubStandIn({ seed: { repos: { "acme/app": { issues } } } }).open();
  onTestFinished(() => standIn[Symbol.asyncDispose]());
  return standIn;
}

async function ask(url: string, init: RequestInit = {}) {
  const headers = { authorization: "Bearer token", "content-type": "application/json", ...init.headers };
  const response = await fetch(url, { ...init, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

const query = async (standIn: GitHubStandIn, text: string) =>
  (await ask(`${standIn.url}/graphql`, { method: "POST", body: JSON.stringify({ query: text }) })).body;

describe("the stand-in's REST API", () => {
  it("refuses what GitHub's description does not have", async () => {
    const standIn = await aStandIn();
    const base = `${standIn.enterpriseUrl}/repos/acme/app/issues`;
    expect((await ask(`${base}?colour=red`)).body.message).toBe("Validation Failed: there is no parameter colour");
    expect((await ask(`${base}?state=shut`)).status).toBe(422);
    expect((await ask(base, { method: "POST", body: JSON.stringify({ body: "no title" }) })).status).toBe(422);
    expect((await ask(`${base}/1`, { method: "PATCH", body: JSON.stringify({ state: "shut" }) })).status).toBe(422);
    expect((await ask(`${base}/1`, { method: "PUT", body: "{}" })).status).toBe(404);
    expect((await ask(base, { headers: { authorization: "Bearer other" } })).status).toBe(401);
  });

  it("has pages, ETags and a budget, from which unchanged lists take nothing", async () => {
    const standIn = await aStandIn();
    const first = await ask(`${standIn.url}/repos/acme/app/issues?per_page=100`);
    expect(first.body).toHaveLength(100);
    const next = /^<(.*)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    expect((await ask(next)).body).toHaveLength(20);
    const etag = first.headers.get("etag") ?? "";
    const again = await ask(`${standIn.url}/repos/acme/app/issues?per_page=100`, { headers: { "if-none-match": etag } });
    expect([again.status, again.headers.get("x-ratelimit-remaining"), standIn.budgets.used.core]).toEqual([304, "4998", 2]);
    standIn.person("jo").retitle("acme/app", 3, "Another");
    expect((await ask(`${standIn.url}/repos/acme/app/issues?per_page=100`, { headers: { "if-none-match": etag } })).status).toBe(
      200,
    );
  });
});

describe("the stand-in's GraphQL API", () => {
  const inApp = (text: string) => `{ repository(owner: "acme", name: "app") { ${text} } }`;

  it("refuses unknown fields, and connections without or beyond a size, in GitHub's words", async () => {
    const standIn = await aStandIn();
    const of = async (text: string) => (await query(standIn, inApp(text))).errors[0];
    expect((await of("nonsense")).message).toBe("Field 'nonsense' doesn't exist on type 'Repository'");
    expect((await of("issues { totalCount }")).type).toBe("MISSING_PAGINATION_BOUNDARIES");
    expect((await of("issues(first: 101) { totalCount }")).type).toBe("EXCESSIVE_PAGINATION");
    expect(
      (await of("issues(first: 100) { nodes { comments(first: 100) { nodes { reactions(first: 100) { totalCount } } } } }")).type,
    ).toBe("MAX_NODE_LIMIT_EXCEEDED");
    expect(await of("issue(number: 999) { id }")).toMatchObject({ type: "NOT_FOUND", path: ["repository", "issue"] });
  });

  it("counts points by GitHub's rule", async () => {
    const standIn = await aStandIn();
    const cost = async (text: string) =>
      (await query(standIn, `{ rateLimit { cost } ${inApp(text).slice(1)}`)).data.rateLimit.cost;
    expect(await cost("issue(number: 1) { id }")).toBe(1);
    expect(await cost("issues(first: 100) { nodes { labels(first: 1) { totalCount } comments(first: 1) { totalCount } } }")).toBe(
      2,
    );
    expect(standIn.budgets.used.graphql).toBe(3);
  });
});

describe("the stand-in as a program", () => {
  it("prints its address and answers from a seed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "loopdash-github-"));
    const seed = join(folder, "seed.json");
    writeFileSync(seed, JSON.stringify({ repos: { "acme/app": { issues: [{ title: "A" }] } }, tokens: { secret: "jo" } }));
    const child = spawn(process.execPath, [SERVE, seed], { stdio: ["ignore", "pipe", "inherit"], env: {} });
    onTestFinished(() => {
      child.kill();
      rmSync(folder, { recursive: true });
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const answer = await ask(`${line.toString().trim()}/repos/acme/app/issues`, { headers: { authorization: "token secret" } });
    expect(answer.body).toMatchObject([{ number: 1, title: "A" }]);
  });
});
