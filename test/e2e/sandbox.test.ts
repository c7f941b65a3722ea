import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HONEST, pidsUnder, Stage } from "./stage.ts";

const FINISH = [{ step: "gates" }, { step: "check", name: "tests", command: ["./check.sh"] }, { step: "merge" }];

/** A stage whose check passes where the ticket's file is there. */
function checkedStage(check = "test -f T-1.txt\n"): Stage {
  const stage = new Stage();
  stage.repo("app", { "README.md": "# test\n" });
  stage.write("app/check.sh", `#!/bin/sh\n${check}`, 0o755);
  stage.git("app", "add", "-A");
  stage.git("app", "commit", "-q", "-m", "check");
  return stage;
}

/** What the agent of the first attempt printed. */
function agentLog(stage: Stage): string {
  return readFileSync(join(runFolder(stage), "tickets/T-1/attempt-1/agent.log"), "utf8");
}

/** The folder of the only run. */
function runFolder(stage: Stage): string {
  const runs = stage.path("home/runs");
  return join(runs, readdirSync(runs)[0] ?? "");
}

/** Does it to each folder that looks like the run's: what proves the oracle makes and removes some beside it. */
const inEachRun = (deed: string): string =>
  `for (const run of fs.readdirSync(root + "/home/runs")) {
    const folder = root + "/home/runs/" + run;
    try { ${deed} } catch (error) { say(String(error)); }
  }`;

describe("the sandbox", { timeout: 300_000 }, () => {
  test("a batch that requires it runs to done in it, and says nothing of being unsandboxed", async () => {
    using stage = checkedStage();
    stage.agent(`${HONEST} sh("git", "add", "-A"); sh("git", "commit", "-q", "-m", "mine"); fs.writeFileSync("left.txt", "x");`);
    // The repository's own script says what is in it: it is the check's.
    const ticket = { id: "T-1", allow: { judge: ["T-1.txt"] } };
    const ended = await stage.run([stage.batch([ticket], { sandbox: "required", finish: FINISH }), "--headless"]);
    expect(ended.stderr).toBe("");
    expect(ended).toMatchObject({ code: 0, stdout: expect.not.stringContaining("unsandboxed") });
    expect(stage.git("app", "ls-tree", "--name-only", "main").split("\n")).toEqual(
      expect.arrayContaining(["T-1.txt", "left.txt"]),
    );
    expect((await stage.report()).sandboxed).toBe(true);
    expect(stage.git("app", "fsck", "--strict", "--no-dangling")).toBe("");
  });

  test("an agent can read the change of the attempt before, which its prompt names", async () => {
    using stage = checkedStage("grep -q done T-1.txt\n");
    stage.agent(`const [, patch] = /for reading only: (\\S+)/.exec(prompt) ?? [];
      const isRead = patch !== undefined && fs.readFileSync(patch, "utf8").includes("+wrong");
      fs.writeFileSync(ticket + ".txt", isRead ? "done\\n" : "wrong\\n");`);
    const batch = stage.batch(["T-1"], { sandbox: "required", limits: { attempts: 2 }, finish: FINISH });
    const { code, stdout } = await stage.run([batch, "--headless"]);
    expect(code, stdout).toBe(0);
  });

  const walls: Record<string, { readonly attempt: string; readonly harmed: (stage: Stage) => boolean }> = {
    "the user's checkout": {
      attempt: 'fs.writeFileSync(root + "/app/evil", "x")',
      // Inside, its own worktree lies there: then the file is a part of its change, and lands with it.
      harmed: (stage) => stage.git("app", "status", "--porcelain").includes("?? evil"),
    },
    "the repository's hooks": {
      attempt: 'fs.writeFileSync(root + "/app/.git/hooks/pre-commit", "x")',
      harmed: (stage) => existsSync(stage.path("app/.git/hooks/pre-commit")),
    },
    "the journal": {
      attempt: 'fs.readFileSync(root + "/home/loopdash.db"); say("harmed")',
      harmed: (stage) => agentLog(stage).includes("harmed"),
    },
    "the tracker": {
      attempt: inEachRun(`const file = folder + "/tracker.json";
        fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace('"open"', '"done"')); say("harmed");`),
      harmed: (stage) => agentLog(stage).includes("harmed"),
    },
    "the oracle": {
      attempt: inEachRun('fs.appendFileSync(folder + "/oracle.cjs", "//harmed");'),
      harmed: (stage) => readFileSync(join(runFolder(stage), "oracle.cjs"), "utf8").endsWith("//harmed"),
    },
    "the home folder's secrets": {
      attempt: 'say("harmed " + fs.readFileSync(root + "/.ssh/id_ed25519", "utf8"))',
      harmed: (stage) => agentLog(stage).includes("harmed"),
    },
    "other processes": {
      attempt: 'if (fs.existsSync("/proc/" + fs.readFileSync(root + "/pid", "utf8") + "/environ")) say("harmed")',
      harmed: (stage) => agentLog(stage).includes("harmed"),
    },
  };

  test.each(Object.entries(walls))("keeps an agent from %s, and without it nothing does", async (_, { attempt, harmed }) => {
    for (const sandbox of ["required", "off"]) {
      using stage = checkedStage();
      stage.write(".ssh/id_ed25519", "SECRET");
      stage.write("pid", String(process.pid));
      const body = `const root = ${JSON.stringify(stage.root)}; try { ${attempt} } catch (error) { say(String(error)); } ${HONEST}`;
      stage.agent(body);
      await stage.run([stage.batch(["T-1"], { sandbox, finish: FINISH, limits: { attempts: 1 } }), "--headless"]);
      expect(harmed(stage), sandbox).toBe(sandbox === "off");
    }
  });

  test("keeps agents and judged commands from the network", async () => {
    for (const sandbox of ["required", "off"]) {
      let calls = 0;
      const server = createServer((socket) => {
        calls += 1;
        socket.end();
      });
      const { promise: listening, resolve } = Promise.withResolvers<void>();
      server.listen(0, "127.0.0.1", resolve);
      await listening;
      const { port } = server.address() as { port: number };
      using stage = checkedStage(`node -e 'require("net").connect(${port}, "127.0.0.1").on("error", () => {})'\n`);
      const call = `await new Promise((done) => net.connect(${port}, "127.0.0.1").on("error", done).on("close", done));`;
      stage.agent(`const net = await import("node:net"); ${call} ${HONEST}`);
      const ended = await stage.run([stage.batch(["T-1"], { sandbox, finish: FINISH }), "--headless"]);
      server.close();
      expect(ended.code).toBe(0);
      // The check on the base, the agent, the check, and its proof.
      expect(calls, sandbox).toBe(sandbox === "off" ? 4 : 0);
    }
  });

  test("nothing that an agent left running outlives it: not a daemon that left its session and wiped its environment", async () => {
    using stage = checkedStage();
    const daemon = "exec setsid env -i sleep 987654";
    stage.agent(
      `(await import("node:child_process")).spawn("sh", ["-c", ${JSON.stringify(daemon)}], { detached: true, stdio: "ignore" }).unref(); ${HONEST}`,
    );
    const ended = await stage.run([stage.batch(["T-1"], { sandbox: "required", finish: FINISH }), "--headless"]);
    expect(ended.code).toBe(0);
    const left = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes("987654"));
    expect(left).toEqual([]);
    expect(pidsUnder(stage.root)).toEqual([]);
  });

  test("a batch opens what it names, and nothing beside it", async () => {
    using stage = checkedStage();
    stage.write("tools/words.txt", "from outside\n");
    stage.write("tools-not/words.txt", "hidden\n");
    const read = (name: string) =>
      `try { say(fs.readFileSync(${JSON.stringify(stage.path(name))}, "utf8")); } catch { say("no"); }`;
    stage.agent(`${read("tools/words.txt")} ${read("tools-not/words.txt")} ${HONEST}`);
    const over = { sandbox: "required", sandboxPolicy: { read: ["tools"] }, finish: FINISH };
    expect((await stage.run([stage.batch(["T-1"], over), "--headless"])).code).toBe(0);
    expect(agentLog(stage)).toContain("from outside");
    expect(agentLog(stage)).not.toContain("hidden");
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It ended between the listing and the look.
    return "";
  }
}
