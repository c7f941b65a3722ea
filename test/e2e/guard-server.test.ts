import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { installedClient } from "../../src/cli/guard/installed-client.ts";
import {
  ASK,
  ASK_FAKE,
  ASK_SERVER,
  BLOCKED,
  fake,
  folder,
  inside,
  KILL,
  PROGRAM,
  payload,
  START,
  use,
} from "./guard-server-stage.ts";

describe("a person's guard server", { timeout: 120_000 }, () => {
  test("is started by the first question, which Node answers; it answers the next ones itself", () => {
    const first = inside(`${ASK}; echo "exit $?"`, payload("git reset --hard"));
    expect(first).toEqual({ status: 0, stdout: "exit 2\n", stderr: BLOCKED });
    expect(inside(`${ASK_SERVER}; echo "exit $?"`, payload("git status")).stdout).toBe("exit 127\n");
    expect(inside(`${START}; ${ASK_SERVER}`, payload("git reset --hard"))).toEqual({ status: 2, stdout: "", stderr: BLOCKED });
    expect(inside(`${START}; ${ASK_SERVER}`, payload("git status"))).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("has nothing of the environment that it was started in, no open file of it, and no other user may ask it", () => {
    const shown = `${START}
      pid=$(pgrep -f [_]_guard-server); tr '\\0' '\\n' < /proc/$pid/environ | grep -c SECRET
      readlink /proc/$pid/cwd /proc/$pid/fd/0; readlink /proc/$pid/fd/* | grep -c held; stat -c %a "$SOCKETS" "$SOCKETS"/*`;
    const { stdout } = inside(`exec 9> "$WORK/held"; ${shown}`, { ...payload("git status"), SECRET: "x" });
    expect(stdout.split("\n").filter((line) => line !== "")).toEqual(["0", "/", "/dev/null", "0", "700", "600"]);
  });

  test("answers as Node does, for each vendor and both events, and writes the same report", () => {
    const cases = ["git reset --hard", "git status", 'rm -rf "$X"', "cat ~/.ssh/id_rsa", "echo 'ü' && rm -rf /"].flatMap(
      (command) => ["claude", "codex", "gemini", "opencode"].map((agent) => ({ agent, text: use("Bash", { command }) })),
    );
    const all = [
      ...cases,
      { agent: "claude", text: "no json" },
      { agent: "claude", text: use("Read", { file_path: "~/.ssh/id_rsa" }) },
    ];
    for (const [i, { text }] of all.entries()) writeFileSync(join(folder(), `${i}.json`), text);
    const each = all
      .map(({ agent }, i) =>
        ["by-node $NODE", "by-server $OWN /nowhere/node"]
          .map((way) => way.split(" "))
          .map(([to, ...words]) => {
            const out = `"$WORK/../${i}.${to}`;
            return `${words.join(" ")} $MAIN hook before-tool --agent ${agent} --report ../${to}.jsonl < ../${i}.json > ${out}.out" 2> ${out}.err"; echo $? >> ${out}.out"`;
          })
          .join("\n"),
      )
      .join("\n");
    expect(inside(`${START}\n${each}`, payload("git status")).stderr).toBe("");
    const read = (name: string): string => readFileSync(join(folder(), name), "utf8");
    all.forEach(({ text }, i) => {
      expect([text, read(`${i}.by-server.out`), read(`${i}.by-server.err`)]).toEqual([
        text,
        read(`${i}.by-node.out`),
        read(`${i}.by-node.err`),
      ]);
    });
    const report = (name: string) => read(name).replace(/"at":"[^"]*"/g, "");
    expect(report("by-server.jsonl")).toBe(report("by-node.jsonl"));
    expect(report("by-node.jsonl").trimEnd().split("\n")).toHaveLength(all.length);
  });

  test("judges by the settings as they are now, and by the home and the folder of who asks", () => {
    const file = join(folder(), "guard.json");
    writeFileSync(file, "{}");
    const ask = ASK_SERVER.replace("--agent claude", `--agent claude --settings ${file}`);
    const off = JSON.stringify({ rules: { "git-reset": false } });
    const { stdout } = inside(
      `${START}; ${ask} 2>/dev/null; echo "first $?"; printf %s '${off}' > ${file}; ${ask}; echo "second $?"; rm ${file}; ${ask} 2>/dev/null; echo "third $?"`,
      payload("git reset --hard"),
    );
    expect(stdout).toBe("first 2\nsecond 0\nthird 2\n");
    const check = "$OWN /nowhere/node $MAIN guard check -- 'rm -rf ../.git' 2>&1 | head -1";
    const outside = inside(`${START}; ${check}; mkdir sub; cd sub; ${check}`, payload("git status"));
    expect(outside.stdout).toBe("loopdash: the guard blocks this command (delete-repository)\n");
  });

  test.each<[string, string]>([
    ["has gone and left its socket", `${START}; ${KILL}`],
    ["is a socket that nobody serves, in a folder that others can open", `mkdir -m 777 "$SOCKETS"`],
    ["has a folder that is a link", `mkdir -m 700 /tmp/other; ln -s /tmp/other "$SOCKETS"`],
  ])("is not asked if it %s: Node answers", (_, before) => {
    expect(inside(`${before}; ${ASK}`, payload("git reset --hard"))).toEqual({ status: 2, stdout: "", stderr: BLOCKED });
    expect(inside(`${before}; ${ASK}`, payload("git status")).status).toBe(0);
  });

  test("is started again after it was killed", () => {
    const again = `${START}; ${KILL}; ${ASK} 2>/dev/null; until_ '${ASK_SERVER} 2>/dev/null; [ $? = 2 ]'; ${ASK_SERVER}`;
    expect(inside(again, payload("git reset --hard"))).toEqual({ status: 2, stdout: "", stderr: BLOCKED });
  });

  test("ends by SIGTERM and takes its socket away", () => {
    const end = `${START}; kill $(pgrep -f [_]_guard-server); until_ '! pgrep -f [_]_guard-server > /dev/null'; ls -A "$SOCKETS"`;
    expect(inside(end, payload("git status"))).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("is not asked what needs a process of its own", () => {
    const out = inside(
      `${START}; echo '"git status"' | $OWN $NODE $MAIN guard check; $OWN $NODE $MAIN guard check --json -- git status`,
      payload("git status"),
    );
    expect(out.stdout).toBe('{"command":"git status","verdict":"allow"}\n'.repeat(2));
  });
});

test("guard install has hooks ask it first, unless --no-server says that Node starts each time", { timeout: 60_000 }, () => {
  mkdirSync(join(folder(), "home/.claude"), { recursive: true });
  const install = `$NODE $MAIN guard install --yes --agent claude`;
  const shown = `cat "$HOME/.claude/settings.json"`;
  const served = inside(`${install} > /dev/null && ${shown}`);
  const program = (json: string): string => JSON.parse(json).hooks.PreToolUse[0].hooks[0].command;
  expect(program(served.stdout)).toContain(
    `/usr/bin/perl ${dirname(PROGRAM)}/guard-client.pl own ${process.execPath} ${PROGRAM} hook before-tool`,
  );
  expect(served.stderr).toMatch(/guard server.*--no-server/);
  const alone = inside(`${install} --no-server > /dev/null && ${shown}; $NODE $MAIN guard status --agent claude > /dev/null`);
  expect(program(alone.stdout)).toContain(` loopdash-guard ${process.execPath} ${PROGRAM} hook before-tool`);
  expect([alone.status, alone.stderr]).toEqual([0, expect.not.stringContaining("--no-server")]);
  expect(inside(`$NODE $MAIN guard check --no-server -- "git status"`).status).toBe(2);
});

describe("a server that fails", { timeout: 120_000 }, () => {
  const at = { AT: installedClient("@loopdash-guard").join(" ") };
  const blocked = { status: 2, stdout: "", stderr: BLOCKED };
  const ended = `kill $!; wait`;

  test.each<[string, string]>([
    ["closes at once", "connection.destroy();"],
    ["closes after the question", `connection.resume().on("end", () => connection.destroy());`],
    ["answers with something else", `connection.resume().on("end", () => connection.end("HTTP/1.1 200 OK\\r\\n\\r\\n"));`],
    ["answers less than it says", `connection.resume().on("end", () => connection.end("0 10 0\\nx"));`],
    ["answers more than it says", `connection.resume().on("end", () => connection.end("0 0 0\\nx"));`],
    ["never answers", "connection.resume();"],
    ["reads nothing", ""],
  ])("and %s: Node answers, with all of the payload", (_, act) => {
    const long = use("Bash", { command: `git reset --hard # ${"x".repeat(500_000)}` });
    writeFileSync(join(folder(), "long.json"), long);
    const ask = `${ASK_FAKE.replace('printf %s "$P"', `cat ${join(folder(), "long.json")}`)}; code=$?; ${ended}; exit $code`;
    expect(inside(`${fake(act)}; ${ask}`, { ...at, P: "" })).toEqual(blocked);
  });

  test("is not asked about a payload that is longer than a server reads", () => {
    const long = use("Write", { file_path: "/etc/passwd", content: "x".repeat(3_000_000) });
    writeFileSync(join(folder(), "long.json"), long);
    const allows = `connection.resume().on("end", () => connection.end("0 0 0\\n"));`;
    const ask = `${ASK_FAKE.replace('printf %s "$P"', `cat ${join(folder(), "long.json")}`)}; code=$?; ${ended}; exit $code`;
    const { status, stderr } = inside(`${fake(allows)}; ${ask}`, { ...at, P: "" });
    expect([status, stderr]).toEqual([2, expect.stringContaining("(write-protected)")]);
  });
});
