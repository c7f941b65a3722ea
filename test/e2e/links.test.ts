import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { record } from "../helpers/recorded-run.ts";
import { plumbingEnded } from "../store/scenes.ts";
import { terminals } from "./pty.ts";
import { HONEST, Stage } from "./stage.ts";

const open = terminals();
const SQLITE = readFileSync(resolve(import.meta.dirname, "../../example/trackers/sqlite.mjs"), "utf8");
const page = (id: string) => `https://tracker.example/${id}`;
const WIDE = { columns: 120, rows: 30 };
const ON = { FORCE_HYPERLINK: "1" };
const OFF = { FORCE_HYPERLINK: "0" };

/** A recorded run that has ended, whose tickets and repository have pages. */
function recorded(stage: Stage): string {
  const run = plumbingEnded("done", { repoUrls: { app: "https://github.com/acme/app" } }).tracked(page);
  record(stage.home, run, { run: "over-1" });
  mkdirSync(stage.path("home", "runs", "over-1"), { recursive: true });
  return `file://${hostname()}${stage.path("home", "runs", "over-1")}`;
}

/** A batch of one ticket in a tracker that gives pages, over a repository whose remote is on GitHub and holds a token. */
function linkedStage(stage: Stage): string {
  stage.repo("app");
  stage.git("app", "remote", "add", "origin", "https://someone:ghp_secretsecret@github.com/acme/app.git");
  stage.agent(HONEST);
  stage.write("tracker.mjs", SQLITE.replace("return { id, title,", `return { url: "${page("")}" + id, id, title,`));
  execFileSync(process.execPath, [stage.path("tracker.mjs"), stage.path("tickets.db"), "init"]);
  using db = new DatabaseSync(stage.path("tickets.db"));
  db.prepare("INSERT INTO tickets (id, title) VALUES ('T-1', 'Do T-1')").run();
  const tracker = { kind: "command", command: [process.execPath, "{batch}/tracker.mjs", "tickets.db"] };
  return stage.batch([], { tracker });
}

/** A screen without the age of the last judgement, which goes on. */
const ageless = (lines: readonly string[]) => lines.map((line) => line.replace(/ +\d+[smhd][ \w]* ago +/, " ago ").trimEnd());

describe("links", { timeout: 300_000 }, () => {
  test("lead from the dashboard and the printed summary to ticket, commit and run; the remote's token goes nowhere", async () => {
    using stage = new Stage();
    const batch = linkedStage(stage);
    const pty = open(stage, [batch], { ...WIDE, env: { TERM_PROGRAM: "ghostty" } });
    await pty.waitFor("DONE, says the oracle");
    await pty.waitFor(() => pty.links().some(([, url]) => url.startsWith("file://")));
    const sha = stage.git("app", "rev-parse", "main");
    const commit = [sha.slice(0, 7), `https://github.com/acme/app/commit/${sha}`];
    expect(pty.links()).toEqual(expect.arrayContaining([["T-1", page("T-1")], commit]));
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    const run = /loopdash report \S*?(test-\d{8}-[0-9a-f]{4})/.exec(stripVTControlCharacters(pty.raw))?.[1] ?? "no run";
    const folder = `file://${hostname()}${stage.path("home", "runs", run)}`;
    expect(pty.links()).toEqual([["T-1", page("T-1")], commit, [run, folder]]);
    const report = await stage.run(["report", "--html"]);
    expect(report.stdout).toContain(`<a href="${commit[1]}" rel="noopener noreferrer"><code>`);
    expect(report.stdout).toContain(`<a href="${page("T-1")}" rel="noopener noreferrer">T-1</a>`);
    expect(report.stdout).toContain(`<a href="file://${stage.path("home", "runs", run)}" rel="noopener noreferrer">${run}</a>`);
    const journal = readFileSync(stage.path("home", "loopdash.db"), "latin1");
    expect(journal).toContain("https://github.com/acme/app");
    expect(journal + report.stdout + pty.raw).not.toContain("ghp_secretsecret");
  });

  test("move nothing: the dashboard looks the same with and without", async () => {
    using stage = new Stage();
    const folder = recorded(stage);
    const [on, off] = [ON, OFF].map((env) => open(stage, ["attach", "over-1"], { ...WIDE, env }));
    if (on === undefined || off === undefined) throw new Error("two terminals");
    for (const pty of [on, off]) await pty.waitFor("DONE, says the oracle");
    await on.waitFor(() => on.links().some(([, url]) => url === folder));
    expect(ageless(on.lines())).toEqual(ageless(off.lines()));
    for (const pty of [on, off]) await pty.press("\u001b[Z", /RUNS ─[^]*over-1/);
    await on.waitFor(() => on.links().some(([text]) => text === "over-1"));
    expect(ageless(on.lines())).toEqual(ageless(off.lines()));
    expect(on.raw).toContain(`\u001b]8;;${folder}\u0007`);
    expect(off.raw).not.toContain("\u001b]8;");
  });

  test.each([["runs"], ["status"], ["report"]])("are printed by `loopdash %s` on a terminal, and nowhere else", async (verb) => {
    using stage = new Stage();
    const folder = recorded(stage);
    const [on, off] = [ON, OFF].map((env) => open(stage, [verb], { ...WIDE, env }));
    if (on === undefined || off === undefined) throw new Error("two terminals");
    for (const pty of [on, off]) expect(await pty.exitCode()).toBe(0);
    expect(on.links()).toContainEqual(["over-1", folder]);
    if (verb !== "runs") expect(on.links()).toContainEqual(["T-10", page("T-10")]);
    expect(ageless(on.main().split("\n"))).toEqual(ageless(off.main().split("\n")));
    expect(off.raw).not.toContain("\u001b]8;");
    const piped = await stage.run([verb], ON);
    expect(piped.stdout).not.toContain("\u001b");
  });
});
