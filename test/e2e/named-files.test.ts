import { readFileSync, renameSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HONEST, Stage } from "./stage.ts";

const CHECK = { step: "check", name: "tests", command: ["test", "-f", "README.md"], canary: "off" };

/** A stage with a repository whose base has one script. */
function stageOf(): Stage {
  const stage = new Stage();
  stage.repo("app", { "README.md": "# test\n", "tools/here.mjs": "", "plain.sh": "#!/bin/sh\n" });
  stage.agent(HONEST);
  return stage;
}

const verify = (...command: readonly string[]) => ({ step: "verify", name: "live", command });

describe("files that a batch names", { timeout: 300_000 }, () => {
  test("are readable in the sandbox of their commands, and a script's subfolder with it", async () => {
    using stage = stageOf();
    stage.write("checks/lib.mjs", 'export const fine = "fine";\n');
    stage.write("checks/check.mjs", 'import { fine } from "./lib.mjs"; console.log(fine);\n');
    stage.write("health.mjs", 'import { readFileSync } from "node:fs"; console.log(readFileSync(process.argv[2], "utf8"));\n');
    stage.write("expected.txt", "all is well\n");
    stage.write("prepare.sh", "#!/bin/sh\necho prepared > prepared.txt\n", 0o755);
    stage.write("agents/lib.mjs", 'export const name = "work.txt";\n');
    stage.write(
      "agents/agent.mjs",
      'import { writeFileSync } from "node:fs"; import { name } from "./lib.mjs"; writeFileSync(name, "x");\n',
    );
    const batch = stage.batch(["T-1"], {
      sandbox: "required",
      agent: { kind: "command", command: [process.execPath, "agents/agent.mjs"] },
      repos: { app: { path: "app", prepare: [["{batch}/prepare.sh"]] } },
      finish: [
        { ...CHECK, command: [process.execPath, "{batch}/checks/check.mjs"] },
        { ...CHECK, name: "prepared", command: ["test", "-f", "prepared.txt"] },
        { step: "merge" },
        { ...verify(process.execPath, "{batch}/health.mjs", "{batch}/expected.txt"), expect: { text: "all is well" } },
      ],
    });
    const plan = await stage.run([batch, "--dry-run"]);
    expect(plan).toMatchObject({ code: 0, stderr: "" });
    const ended = await stage.run([batch, "--headless"]);
    expect(ended.stdout).not.toContain("cannot run");
    expect(ended.code, ended.stdout).toBe(0);
  });

  test("are protected if the batch lies in the repository: no change brings its own live check, reviewer or batch", async () => {
    using stage = stageOf();
    stage.write("app/ops/live.sh", "#!/bin/sh\ngrep works feature.txt\n", 0o755);
    stage.agent(`
      const own = { "T-1": "ops/live.sh", "T-2": "ops/batch.json", "T-3": "ops/agent.mjs" };
      fs.writeFileSync("feature.txt", "broken");
      fs.writeFileSync(own[ticket], "#!/bin/sh\\nexit 0\\n");`);
    renameSync(stage.path("agent.mjs"), stage.path("app/ops/agent.mjs"));
    const finish = [{ step: "gates" }, { step: "merge" }, verify("{batch}/live.sh")];
    const over = { repos: { app: { path: ".." } }, sandbox: "required", limits: { attempts: 1 }, finish };
    renameSync(stage.batch(["T-1", "T-2", "T-3"], over), stage.path("app/ops/batch.json"));
    stage.git("app", "add", "-A");
    stage.git("app", "commit", "-q", "-m", "ops");
    const { code, events } = await stage.events("app/ops/batch.json");
    expect(code).toBe(1);
    expect(events.flatMap((e) => (e.type === "step-ended" ? [e.summary] : [])).toSorted()).toEqual([
      "protected path touched: ops/agent.mjs (modified)",
      "protected path touched: ops/batch.json (modified)",
      "protected path touched: ops/live.sh (modified)",
    ]);
    expect(stage.landed()).toEqual([]);
  });

  test("are refused with their place, before anything begins, where a command would not find them", async () => {
    using stage = stageOf();
    stage.write("beside.mjs", "");
    const batch = stage.batch(["T-1"], {
      sandbox: "required",
      finish: [
        { ...CHECK, command: ["node", "nope.mjs"] },
        { ...CHECK, name: "program", command: ["no-such-program-anywhere"] },
        { ...CHECK, name: "plain", command: ["./plain.sh"] },
        { ...CHECK, name: "there", command: ["node", "tools/here.mjs"] },
        { step: "merge" },
        { ...verify("node", "{batch}/nope.mjs"), name: "typo" },
        { ...verify("node", "beside.mjs"), name: "beside" },
        { ...verify("test", "-d", "{batch}"), name: "folder" },
        { ...verify("node", "/srv/nowhere/at/all.mjs"), name: "elsewhere" },
      ],
    });
    const line = (text: string) =>
      readFileSync(batch, "utf8")
        .split("\n")
        .findIndex((each) => each.includes(text)) + 1;
    const start = await stage.run([batch, "--headless"]);
    const plan = await stage.run([batch, "--dry-run"]);
    const doctor = await stage.run(["doctor", batch]);
    for (const { code, stdout, stderr } of [start, plan, doctor]) {
      const told = stdout + stderr;
      expect(code, told).toBe(4);
      expect(told).toContain(`batch.json:${line('"nope.mjs"')}:`);
      expect(told).toContain('finish[0].command[1]: "nope.mjs" is not at the tip of main in "app"');
      expect(told).toContain("if a ticket is to make it, name it in the ticket's text");
      expect(told).toContain('finish[1].command[0]: "no-such-program-anywhere": no folder of PATH has this program');
      expect(told).toContain('finish[2].command[0]: "./plain.sh" is not executable at the base');
      expect(told).not.toContain("finish[3]");
      expect(told).toMatch(/finish\[5\]\.command\[1\]: "[^"]*\/nope\.mjs": there is no such file/);
      expect(told).toContain('the batch file\'s folder has one: write "{batch}/beside.mjs"');
      expect(told).toMatch(/finish\[7\]\.command\[2\]: .* whole folder .* add "sandboxPolicy": \{"read": \["/);
      expect(told).toContain('finish[8].command[1]: "/srv/nowhere/at/all.mjs": there is no such file');
    }
    expect(stage.git("app", "branch", "--list", "loopdash/*")).toBe("");
  });

  test("are refused with the line to add where they are hidden in the sandbox", async () => {
    using stage = stageOf();
    using other = new Stage();
    const script = other.write("far.mjs", "");
    const finish = [CHECK, { step: "merge" }, verify("node", script)];
    const refused = await stage.run([stage.batch(["T-1"], { sandbox: "required", finish }), "--dry-run"]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(`cannot be seen in the sandbox; add "sandboxPolicy": {"read": ["${script}"]}`);
    const opened = { sandbox: "required", finish, sandboxPolicy: { read: [script] } };
    expect(await stage.run([stage.batch(["T-1"], opened), "--dry-run"])).toMatchObject({ code: 0, stderr: "" });
    expect(await stage.run([stage.batch(["T-1"], { finish }), "--dry-run"])).toMatchObject({ code: 0 });
  });

  test("only warn where prepare commands or a ticket may still make them", async () => {
    using stage = stageOf();
    const finish = [CHECK, { step: "merge" }, verify("node", "tools/live.mjs")];
    const tickets = [{ id: "T-1", body: "Write tools/live.mjs." }];
    const promised = await stage.run([stage.batch(tickets, { finish }), "--dry-run"]);
    expect(promised).toMatchObject({ code: 0, stderr: expect.stringContaining("unless a ticket makes it first") });
    const repos = { app: { path: "app", prepare: [["true"]] } };
    const prepared = await stage.run([stage.batch(["T-1"], { finish, repos }), "--dry-run"]);
    expect(prepared).toMatchObject({ code: 0, stderr: expect.stringContaining("unless the prepare commands make it") });
    const installs = (...prepare: readonly (readonly string[])[]) =>
      stage.run([stage.batch(["T-1"], { repos: { app: { path: "app", prepare } } }), "--dry-run"]);
    const later = await installs(["true"], [".venv/bin/pip", "install", "."]);
    expect(later).toMatchObject({ code: 0, stderr: expect.stringContaining("unless an earlier prepare command makes it") });
    expect(await installs([".venv/bin/pip", "install", "."], ["true"])).toMatchObject({ code: 4 });
  });

  test("never open the tracker, the oracle or loopdash's state", async () => {
    using stage = stageOf();
    stage.write("tickets/T-1.md", "---\ntitle: Do it\n---\n");
    stage.write("own/oracle.mjs", "process.exit(1);\n");
    const batch = stage.batch([], {
      sandbox: "required",
      tracker: { kind: "local", path: "tickets" },
      oracle: { command: [process.execPath, "own/oracle.mjs"], reads: "elsewhere" },
      finish: [
        { ...CHECK, command: ["cat", "{batch}/tickets/T-1.md"] },
        { ...CHECK, name: "oracle", command: ["cat", "--show-all={batch}/own/oracle.mjs"] },
        { ...CHECK, name: "state", command: ["sh", "-c", "cat {batch}/home/loopdash.db; true"] },
        { step: "merge" },
      ],
    });
    const { code, stderr } = await stage.run([batch, "--dry-run"]);
    expect(code).toBe(4);
    expect(stderr.match(/which no command may see/g), stderr).toHaveLength(2);
  });
});
