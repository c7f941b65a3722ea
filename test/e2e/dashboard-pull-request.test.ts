import { describe, expect, onTestFinished, test } from "vitest";
import { tryGit } from "../stand-ins/github/forge/git.ts";
import { GitHubStandIn } from "../stand-ins/github/server.ts";
import { terminals } from "./pty.ts";
import { Stage } from "./stage.ts";

const open = terminals();
const REPO = "acme/app";
const TOKEN = "token-of-loopdash";

/** A job that passes if T-1.txt says "done". */
const CI = {
  name: "ci",
  isRequired: true,
  command: [
    "node",
    "-e",
    'const t = require("fs").readFileSync("T-1.txt", "utf8"); if (t !== "done\\n") { console.log("::error file=T-1.txt,line=1::it says " + t); process.exit(1); }',
  ],
};
/** A job that nobody requires, and that fails once on each commit. */
const DOCS = { name: "docs", flaky: "fails first on each SHA", command: ["node", "-e", "0"] } as const;

/** A clone of a repository at the stand-in, whose base wants an approval before a pull request lands. */
async function staged() {
  const forge = { jobs: [CI, DOCS], protection: { main: { approvals: 1 } } };
  const seed = {
    repos: { [REPO]: { forge, associations: { ann: "MEMBER", ben: "COLLABORATOR" } } },
    tokens: { [TOKEN]: "loop" },
  } as const;
  const standIn = await new GitHubStandIn({ seed }).open();
  const stage = new Stage();
  onTestFinished(async () => {
    stage[Symbol.dispose]();
    await standIn[Symbol.asyncDispose]();
  });
  const login = `http.extraHeader=Authorization: Basic ${btoa(`x-access-token:${TOKEN}`)}`;
  const cloned = await tryGit(stage.root, ["-c", login, "clone", "-q", `${standIn.url}/${REPO}.git`, "app"]);
  expect(cloned).toMatchObject({ code: 0 });
  const spec = { kind: "github", repo: REPO, baseUrl: standIn.enterpriseUrl, checks: ["ci"], approvals: "wait" };
  const batch = stage.batch(["T-1"], { sandbox: "required", repos: { app: { path: "app", forge: spec } } });
  const pull = () => {
    const found = standIn.state.repos.find(({ fullName }) => fullName === REPO)?.forge?.pulls[0];
    if (found === undefined) throw new Error("there is no pull request");
    return found;
  };
  return { stage, standIn, batch, pull };
}

describe("a pull request on a terminal", { timeout: 300_000 }, () => {
  test("shows what failed there, starts it again, asks for a review, and lands once it is approved", async () => {
    const { stage, standIn, batch, pull } = await staged();
    // The first attempt fails at the required check.
    stage.agent('fs.writeFileSync("T-1.txt", attempt === 1 ? "half\\n" : "done\\n");');
    const pty = open(stage, [batch], { columns: 160, rows: 40, env: { GITHUB_TOKEN: TOKEN, TERM_PROGRAM: "ghostty" } });
    await pty.waitFor(/#1 · failed: docs · 1 of 2 checks passed · waits for an approval · pushed/);
    await pty.press("j", /▌‖ T-1/);
    await pty.press("\r", /2 TICKET[^]*ATTEMPTS 2/);
    await pty.press("C", /CHECKS[^]*✖ docs +failed +optional[^]*✔ ci +passed +required/);
    expect(pty.text()).toMatch(/approval +missing/);
    expect(pty.text()).toMatch(/TRIAGE {2}of attempt 1: failed on #1: ci/);
    await pty.waitFor("it says half");
    expect(pty.links().map(([text]) => text)).toEqual(expect.arrayContaining(["#1", "docs"]));
    expect(pty.isWhole()).toBe(true);

    await pty.press("T", /✔ docs +passed +optional/);
    await pty.press("A", "Request a review of T-1");
    await pty.press("stranger", "stranger█");
    await pty.press("\r", /not done: .*collaborator/);
    await pty.press("A", "Request a review of T-1");
    await pty.press("ben", "ben█");
    await pty.press("\r", /approval +missing · asked: ben/);
    expect(pull().reviewers).toEqual(["ben"]);
    await pty.press("O", /#1: http.*\/acme\/app\/pull\/1/);

    await standIn.forge.person("ben").approve(REPO, pull().number);
    await pty.waitFor(/landed +as [0-9a-f]{7}/);
    await pty.press("\u001b", /^ ✔ DONE/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    const { interventionList, pullRequests } = await stage.report();
    expect(interventionList).toMatchObject([{ class: "I2", target: "T-1" }]);
    expect(pullRequests).toMatchObject([{ number: 1, reviewers: ["ben"], review: "approved" }]);
    expect(stage.everything()).not.toContain(TOKEN);
    expect(standIn.mistakes).toEqual([]);
  });
});
