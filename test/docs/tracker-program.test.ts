import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { parseSnapshot } from "../../src/adapters/tracker/command/protocol.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { serveGitLab } from "./trackers/gitlab.ts";
import { serveJira } from "./trackers/jira.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "src/cli/main.ts");
const example = (name: string): string => join(ROOT, "example/trackers", name);

const folder = scratchFolder();

/** Runs Node with these arguments. Gives its exit code and its output. */
function run(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<{ readonly exitCode: number; readonly output: string }> {
  return new Promise((settle) => {
    execFile(process.execPath, args, { cwd: folder(), env: { ...env } }, (error, stdout, stderr) =>
      settle({ exitCode: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` }),
    );
  });
}

const PAGE = readFileSync(join(ROOT, "docs/use/tracker-program.md"), "utf8");

describe("the page on tracker programs", () => {
  test("makes and fills a database that the example reads", async () => {
    const [, insert = ""] = /^sqlite3 tickets\.db "(INSERT .*)"$/m.exec(PAGE) ?? [];
    expect(PAGE).toContain("\nnode sqlite.mjs tickets.db init\n");
    await run({}, example("sqlite.mjs"), "tickets.db", "init");
    const database = new DatabaseSync(join(folder(), "tickets.db"));
    database.exec(insert);
    database.close();
    const { output } = await run({}, example("sqlite.mjs"), "tickets.db", "snapshot");
    const { tickets } = await parseSnapshot(output);
    expect([...tickets.values()]).toMatchObject([
      { id: "T-1", title: "Show the version", body: "In the footer.", state: { as: "open" } },
    ]);
  });
});

const check = (env: Readonly<Record<string, string>>, ...program: string[]) =>
  run(env, MAIN, "tracker", "check", "--", process.execPath, ...program);
const passed = { exitCode: 0, output: expect.stringMatching(/\n17 ok, 0 bad\n$/) };

describe.each([
  {
    name: "jira.mjs",
    serve: serveJira,
    envOf: (url: string) => ({ JIRA_URL: url, JIRA_EMAIL: "me@example.com", JIRA_TOKEN: "t0ken", JIRA_PROJECT: "APP" }),
    token: "JIRA_TOKEN",
    id: "APP-1",
  },
  {
    name: "gitlab.mjs",
    serve: serveGitLab,
    envOf: (url: string) => ({ GITLAB_URL: url, GITLAB_TOKEN: "t0ken", GITLAB_PROJECT: "team/app" }),
    token: "GITLAB_TOKEN",
    id: "issue-1",
  },
])("the example $name", ({ envOf, id, name, serve, token }) => {
  test("keeps to the protocol, on a stand-in for the vendor's API", async () => {
    await using server = await serve();
    expect(await check(envOf(server.url), example(name))).toEqual(passed);
  });

  test("shows the issues of people that have the label, and no others", async () => {
    await using server = await serve();
    const { output } = await run(envOf(server.url), example(name), "snapshot");
    const [ticket, end, ...more] = output
      .split("\n")
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line));
    expect(ticket).toMatchObject({ id, title: "An issue of people", state: "open", body: "" });
    expect([end, more]).toEqual([{ tickets: 1 }, []]);
  });

  test("fails with the reason of the API, and without the token", async () => {
    await using server = await serve();
    const { exitCode, output } = await run({ ...envOf(server.url), [token]: "wr0ng" }, example(name), "snapshot");
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^\w+: .* 401 .*uthent|uthoriz/);
    expect(output).not.toContain("wr0ng");
  });

  test("fails if nobody answers", async () => {
    const server = await serve();
    await server[Symbol.asyncDispose]();
    expect((await run(envOf(server.url), example(name), "taken")).exitCode).toBe(1);
  });
});
