import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Stage } from "./stage.ts";

const TOKEN = "TOKEN=of-the-tests-4711\n";
const COPY = { from: "env.test", to: "conf/.env" };
const CHECK = { step: "check", name: "env", command: ["grep", "-q", "^TOKEN=of-the-tests", "conf/.env"] };
const SEES =
  'fs.writeFileSync("seen", fs.readFileSync("conf/.env").length + " " + (fs.statSync("conf/.env").mode & 0o777).toString(8));';

/** A run of one ticket in the sandbox, over a repository that ignores `.env`. */
function aStage(agent: string, { check = CHECK, ...over }: Record<string, unknown> = {}, ignore = ".env\n") {
  const stage = new Stage();
  stage.repo("app", { "README.md": "# test\n", ".gitignore": ignore });
  stage.write("env.test", TOKEN, 0o644);
  stage.agent(agent);
  const { copy = [COPY], prepare = [["mkdir", "-p", "made"]] } = over;
  const finish = [{ step: "gates" }, check, { step: "merge" }];
  const repos = { app: { path: "app", copy, prepare } };
  const batch = stage.batch(["T-1"], { sandbox: "required", repos, finish, limits: { attempts: 1 } });
  return { stage, start: (...more: string[]) => stage.start([batch, "--headless", ...more]).ended };
}

/** The files of loopdash's state with the content: journal, prompts, logs, patches and kept trees. */
function filesWithContent(stage: Stage): string {
  return execFileSync("sh", ["-c", 'grep -rlF 4711 "$0" || true', stage.home], { encoding: "utf8" });
}

describe("copy", { timeout: 300_000 }, () => {
  it("gives an ignored file to the agent and the check, and to nothing that lands or is kept", async () => {
    const { stage, start } = aStage(SEES);
    using _ = stage;
    const { code, stdout, stderr } = await start();
    expect(code, stdout + stderr).toBe(0);
    expect(stage.git("app", "show", "main:seen")).toBe("24 600");
    expect(stage.git("app", "ls-tree", "--name-only", "-r", "main")).not.toContain(".env");
    expect(stdout + stderr).not.toContain("4711");
    expect(filesWithContent(stage)).toBe("");
  });

  it("shows the check no file for agents alone", async () => {
    const check = { step: "check", name: "none", command: ["test", "!", "-e", "conf/.env"] };
    const { stage, start } = aStage(SEES, { check, copy: [{ ...COPY, for: ["agent"] }] });
    using _ = stage;
    const { code, stdout, stderr } = await start();
    expect(code, stdout + stderr).toBe(0);
  });

  it("refuses a change with the file, and writes its content nowhere", async () => {
    const { stage, start } = aStage('sh("git", "add", "-f", "conf/.env"); sh("git", "commit", "-qm", "env");');
    using _ = stage;
    const { code, stdout, stderr } = await start();
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("protected path touched: conf/.env (added)");
    expect(filesWithContent(stage)).toBe("");
  });

  it("refuses a start if the file is missing, its place is a tracked one, or git does not ignore it", async () => {
    const copy = [
      COPY,
      { ...COPY, to: "README.md" },
      { ...COPY, to: "README.md/below" },
      { ...COPY, to: "other" },
      { from: "link", to: ".env" },
      { from: "none", to: ".env" },
    ];
    const { stage, start } = aStage(SEES, { copy });
    using _ = stage;
    symlinkSync("env.test", stage.path("link"));
    const { code, stderr } = await start("--dry-run");
    expect(code).toBe(4);
    expect(stderr).toContain("README.md is a file of main");
    expect(stderr).toContain("a folder of README.md/below is a link or a file of main");
    expect(stderr).toContain("no .gitignore of main names other");
    expect(stderr).toContain("link: it is a link");
    expect(stderr).toContain("none: there is no such file");
    expect(stderr).not.toContain("conf/.env");
    const doctor = await stage.start(["doctor", stage.path("batch.json")]).ended;
    expect(doctor.stdout).toContain("README.md is a file of main");
    expect(readFileSync(stage.path("env.test"), "utf8")).toBe(TOKEN);
  });
});
