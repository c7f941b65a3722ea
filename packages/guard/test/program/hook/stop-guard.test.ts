import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, createReadStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { stopReminder } from "../../../src/program/hook/stop-guard.ts";
import { scratchFolder } from "../../scratch.ts";

const folder = scratchFolder();

function stopped(checks: readonly { readonly name: string; readonly command: readonly string[] }[] = []) {
  const at = (...names: string[]) => join(folder(), ...names);
  const [worktree, outbox, report] = [at("tree"), at("outbox"), at("report.jsonl")];
  for (const each of [worktree, outbox]) mkdirSync(each, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", worktree, "-c", "user.name=t", "-c", "user.email=t@t", ...args], { encoding: "utf8" }).trim();
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "start");
  writeFileSync(report, '{"event":"session-start"}\n{"event":"stop","verdict":"allow"}\n{"event":"stop"\n');
  const [file, toldFile] = [at("stop.json"), at("told")];
  const write = (more: object) =>
    writeFileSync(file, JSON.stringify({ times: 2, baseSha: git("rev-parse", "HEAD"), outbox, checks, toldFile, ...more }));
  write({});
  const change = () => writeFileSync(join(worktree, "a.txt"), "x");
  const leave = (path: string, text: string) => {
    mkdirSync(join(outbox, path, ".."), { recursive: true });
    writeFileSync(join(outbox, path), text);
  };
  const look = (checksMs?: number) => {
    if (checksMs !== undefined) write({ checksMs });
    return stopReminder({ file, report, worktree });
  };
  const seen = (times: number) => writeFileSync(toldFile, `${times}\n`);
  /** All text that processes write to `../held`; it ends when none of them has it open any more. */
  const held = () => {
    execFileSync("mkfifo", [at("held")]);
    return createReadStream(at("held"), "utf8");
  };
  return { file, report, worktree, git, change, leave, seen, held, look, remind: async () => (await look()).told };
}

/** A program below a check that does not end, with `../held` open: if nobody ends it, it says so there. */
const BELOW = "exec 3>../held; echo up >&3; (sleep 30; echo late >&3)";
/** A check that does not end either; the program below it has its output. */
const DEEP = ["sh", "-c", `${BELOW} & wait`];

describe("the reminder of an agent that stops", () => {
  test("tells that nothing is changed, at most as often as it may", async () => {
    const { remind, report } = stopped();
    expect(await remind()).toMatchObject({ unmet: "nothing changed", n: 1, of: 2 });
    const told = `${JSON.stringify({ event: "stop", unmet: "nothing changed", n: 1, of: 2 })}\n`;
    appendFileSync(report, told);
    expect(await remind()).toMatchObject({ n: 2, of: 2 });
    appendFileSync(report, told);
    expect(await remind()).toBeUndefined();
  });

  test("counts what the engine has seen, if the agent empties its report", async () => {
    const { remind, report, seen } = stopped();
    for (const empty of ["", '{"event":"session-start"}\n']) {
      seen(1);
      writeFileSync(report, empty);
      expect(await remind()).toMatchObject({ n: 2, of: 2 });
      seen(2);
      expect(await remind()).toBeUndefined();
    }
  });

  test("is content with uncommitted work, with commits, with a blocker, and with a discovery", async () => {
    const uncommitted = stopped();
    uncommitted.change();
    expect(await uncommitted.remind()).toBeUndefined();
    uncommitted.git("add", "-A");
    uncommitted.git("commit", "-q", "-m", "mine");
    expect(await uncommitted.remind()).toBeUndefined();
  });

  test.each(["blocker.json", "discovered/one.json"])("is content with %s, and names it if it cannot be read", async (path) => {
    const { leave, remind } = stopped();
    leave(path, "{}");
    expect(await remind()).toBeUndefined();
    leave(path, "{");
    expect(await remind()).toMatchObject({ unmet: `unreadable in the outbox: ${path}` });
    leave(path, "[]");
    expect(await remind()).toMatchObject({ reason: expect.stringContaining(path) });
  });

  test("quotes the last lines of failed checks, plain and bounded, and says nothing of those that cannot run", async () => {
    const noise = 'i=0; while [ $i -lt 5000 ]; do echo "line $i"; i=$((i+1)); done; printf "\\033[2Jred \\n"; exit 3';
    const { change, remind } = stopped([
      { name: "passes", command: ["true"] },
      { name: "tests", command: ["sh", "-c", noise] },
      { name: "gone", command: ["no-such-program"] },
      { name: "too long", command: ["true", "x".repeat(200_000)] },
      { name: "killed", command: ["sh", "-c", "kill -9 $$"] },
    ]);
    change();
    const reminder = await remind();
    expect(reminder?.unmet).toBe("check tests fails");
    expect(reminder?.reason).toContain("(exit 3)");
    expect(reminder?.reason).toContain("  | line 4999\n  | red");
    expect(reminder?.reason).not.toContain("\u001b");
    expect(reminder?.reason.length).toBeLessThan(2_000);
  });

  describe("of checks that take too long", () => {
    const ENDLESS = [process.execPath, "-e", "setInterval(() => {}, 1000)"];

    test("lets the agent go, and says which: those that came after it, too", async () => {
      const { change, look } = stopped([
        { name: "endless\u001b[2J", command: ENDLESS },
        { name: "next", command: ["false"] },
      ]);
      change();
      expect(await look(300)).toEqual({ late: expect.stringMatching(/^endless ?, next: no result within 0\.3 s$/) });
    });

    test("lets the agent go though a program of the check holds its output, and ends that program", async () => {
      const { change, look, held } = stopped([{ name: "deep", command: DEEP }]);
      change();
      const ended = text(held());
      expect(await look(2_000)).toEqual({ late: "deep: no result within 2 s" });
      expect(await ended).toBe("up\n");
    });

    test.each(["SIGHUP", "SIGINT", "SIGTERM"] as const)("ends them if it is itself ended by %s", async (signal) => {
      const { change, file, worktree, held } = stopped([{ name: "deep", command: DEEP }]);
      change();
      const stopGuard = JSON.stringify(resolve(import.meta.dirname, "../../../src/program/hook/stop-guard.ts"));
      const code = `const { stopReminder } = await import(${stopGuard}); await stopReminder(${JSON.stringify({ file, worktree })});`;
      const below = held();
      const ended = text(below);
      const hook = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "ignore", "inherit"] });
      await once(below, "data");
      hook.kill(signal);
      expect(await once(hook, "close")).toEqual([null, signal]);
      expect(await ended).toBe("up\n");
    });

    test("ends what a check has left running", async () => {
      const { change, look, held } = stopped([{ name: "tests", command: ["sh", "-c", `${BELOW} >../out 2>&1 & exit 3`] }]);
      change();
      const ended = text(held());
      expect(await look()).toMatchObject({ told: { unmet: "check tests fails" } });
      expect(await ended).toBe("up\n");
    });

    test.each([
      ["its group", ""],
      ["a session of its own", "setsid "],
    ])("judges a check by its own end, though a program in %s holds its output", async (_, apart) => {
      const script = `exec 3>../held; echo up >&3; ${apart}sleep 60 & echo $! >../left; echo red; exit 3`;
      const { change, look, held, worktree } = stopped([{ name: "tests", command: ["sh", "-c", script] }]);
      change();
      void text(held());
      const seen = await look(30_000);
      expect(seen).toMatchObject({ told: { unmet: "check tests fails", reason: expect.stringContaining("| red") } });
      expect(seen).not.toHaveProperty("late");
      if (apart !== "") process.kill(Number(readFileSync(join(worktree, "../left"), "utf8")));
    });

    test("tells what failed before", async () => {
      const { change, look } = stopped([
        { name: "tests", command: ["false"] },
        { name: "endless", command: ENDLESS },
      ]);
      change();
      const seen = await look(1_000);
      expect(seen).toMatchObject({ told: { unmet: "check tests fails", n: 1 }, late: "endless: no result within 1 s" });
    });
  });

  test("throws if the engine's file cannot be read", async () => {
    await expect(stopReminder({ file: "/nowhere/stop.json", report: undefined, worktree: "/" })).rejects.toThrow();
  });
});
