import { spawn, spawnSync } from "node:child_process";
import { existsSync, readlinkSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { isAlive, processId } from "../../../src/adapters/executor/process-id.ts";
import { openStatusFile } from "../../../src/adapters/sandbox/bubblewrap/status-file.ts";
import type { Confinement } from "../../../src/ports/executor.ts";
import { engineOf } from "./engine.ts";
import { commandOf, isRoot, NOTHING, PATH, processesWith, until, useStage } from "./support.ts";

const stage = useStage();
const started: number[] = [];

afterEach(() => {
  for (const pid of started.splice(0)) if (processId(pid) !== undefined) process.kill(pid, "SIGKILL");
});

/** A process of this machine with a word in its command line. */
function outsider(word: string): number {
  const { pid } = spawn("/bin/sh", ["-c", "sleep 60; true", word], { env: { SECRET: word }, stdio: "ignore", detached: true });
  if (pid === undefined) throw new Error("it did not start");
  started.push(-pid, pid);
  return pid;
}

const confinement = (): Confinement => ({ ...NOTHING, write: [stage.at("wt")] });

describe("of the processes beside it in its sandbox", () => {
  const NUMBERS = process.arch === "arm64" ? { trace: 117, read: 270, write: 271 } : { trace: 101, read: 310, write: 311 };
  /** Prints what each call on the parent came to: a number, or the error. */
  const script = (how: string) => `cat > probe.pl <<'END'
$p = getppid; $b = "\\0" x 8; $none = pack("PQ", $b, 0);
sub told { $! = 0; my $n = shift; my $got = syscall($n, @_); print $got >= 0 ? "done" : $!{EPERM} ? "EPERM" : $!{ENOSYS} ? "ENOSYS" : "$!", " " }
use Errno;
told(${NUMBERS.read}, $p, $none, 1, $none, 1, 0); told(${NUMBERS.write}, $p, $none, 1, $none, 1, 0);
told(438, -1, 1, 0); told(${NUMBERS.trace}, 0x4206, $p, 0, 0);
print open(my $f, "+<", "/proc/$p/mem") ? "open" : $!{EROFS} ? "EROFS" : "$!", " ";
END
perl probe.pl; echo ${how}`;

  test("one that judges reads, writes and traces none", async () => {
    const { tail } = await stage.sh(script("judge"), { write: [stage.at("wt")], isJudge: true });
    expect(tail.trim()).toBe("EPERM EPERM ENOSYS EPERM EROFS judge");
  });

  test("another one may debug, and takes no files from them", async () => {
    const { tail } = await stage.sh(script("agent"), { write: [stage.at("wt")] });
    expect(tail.trim()).toBe("done done ENOSYS done EROFS agent");
  });
});

describe("the output of a program that judges", () => {
  const SHUT = `perl -e 'open(my $out, ">&=", 1); shutdown($out, 1)'`;

  test.each([
    ["is whole: it succeeds", "echo answer", { exitCode: 0, signal: null }],
    ["was shut down by another program: it fails", `${SHUT}; exit 0`, { exitCode: null, signal: "SIGPIPE" }],
    ["was shut down, and it failed by itself: its own code counts", `${SHUT}; exit 7`, { exitCode: 7, signal: null }],
    ["is there when a signal ends it: the signal counts", "kill -9 $$", { exitCode: null, signal: "SIGKILL" }],
  ])("%s", async (_, command, end) => {
    expect(await stage.sh(command, { write: [stage.at("wt")], isJudge: true })).toMatchObject({ ending: "exited", ...end });
  });

  test("of any other program may be shut down", async () => {
    expect(await stage.sh(`${SHUT}; exit 0`, { write: [stage.at("wt")] })).toMatchObject({ exitCode: 0, signal: null });
  });
});

describe("of the processes outside a confined one", () => {
  test("sees none, where an unconfined one sees them", async () => {
    outsider(`outsider-${process.pid}`);
    // By the brackets the looking processes do not find themselves.
    const script = `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'outsi[d]er-${process.pid}'; true`;
    expect((await stage.sh(script, {})).tail).toBe("0\n");
    expect((await stage.sh(script)).tail).toBe("1\n");
  });

  test.each<[string, (pid: number) => string, "root" | undefined]>([
    ["reads the environment of none", (pid) => `grep -q SECRET /proc/${pid}/environ && echo GOT THROUGH; echo DONE`, undefined],
    ["reads the files of none", (pid) => `ls /proc/${pid}/root/ >/dev/null && echo GOT THROUGH; echo DONE`, undefined],
    [
      "traces none",
      (pid) => `perl -e 'print "GOT THROUGH\\n" if syscall(${ptrace()}, 0x4206, ${pid}, 0, 0) == 0; print "DONE\\n"'`,
      "root",
    ],
    ["ends none", (pid) => `kill -9 ${pid} && echo GOT THROUGH; echo DONE`, undefined],
  ])("%s", async (_, script, who) => {
    const pid = outsider("victim");
    const id = processId(pid);
    expect(await stage.sh(`(${script(pid)}) 2>/dev/null`, {})).toMatchObject({ exitCode: 0, tail: "DONE\n" });
    expect(id !== undefined && isAlive(id)).toBe(true);
    if (who === "root" && !isRoot) return;
    expect((await stage.sh(`(${script(pid)}) 2>/dev/null`)).tail).toBe("GOT THROUGH\nDONE\n");
  });

  test("`kill -9 -1` ends only what is in the sandbox", async () => {
    // In a throw-away pid namespace, because without the sandbox it would end everything that is this user's.
    const around = (command: string[]) => [
      ...(isRoot ? [] : ["--user", "--map-current-user"]),
      ...["--pid", "--fork", "--kill-child", "sh", "-c", '(sleep 1; echo ALIVE) & "$@"; wait', "sh"],
      ...command,
    ];
    const run = async (command: readonly string[], env: Readonly<Record<string, string>>) =>
      spawnSync("unshare", around([...command]), { encoding: "utf8", env, timeout: 20_000 }).stdout;
    const attack = ["/bin/sh", "-c", "kill -9 -1; echo DONE"];
    const confined = await stage.sandbox().confine({ argv: attack, cwd: stage.at("wt"), env: { PATH } }, confinement());
    expect(await run(commandOf(confined), confined.env)).toMatch(/ALIVE/);
    expect(await run(attack, { PATH })).not.toMatch(/ALIVE/);
    await confined.settle();
  });
});

/**
 * Starts a daemon that leaves its session, wipes its environment and closes its output, known by a word in its arguments,
 * and goes on when all that is done.
 */
const daemon = (word: string) =>
  `setsid -f env -i /bin/sh -c 'exec >/dev/null 2>&1 </dev/null; : > ready; sleep 60; true' ${word}; until [ -e ready ]; do :; done`;

describe("nothing lives any more when run settles", () => {
  test("after the program's own end: a daemon that left its session and wiped its environment", async () => {
    const word = `daemon-${process.pid}-a`;
    const result = await stage.sh(`${daemon(word)}; ls /proc/[0-9]*/cmdline | wc -l; exit 3`, {});
    // bwrap's own, the daemon, the script, its two programs; its sleep, and the second program, may not have begun yet.
    expect(result).toMatchObject({ ending: "exited", exitCode: 3, tail: expect.stringMatching(/^[456]\n$/) });
    expect(processesWith(word)).toEqual([]);
    // Without a pid namespace nobody can find it: that is what this is about.
    await stage.sh(`rm ready; ${daemon(word)}; exit 3`);
    const left = await until("the daemon lives on", () => processesWith(word)[0]);
    started.push(left);
    expect(left).toBeGreaterThan(0);
  });

  test.each(["abort", "silence", "time"])("after an end by %s", async (why) => {
    const word = `daemon-${process.pid}-${why}`;
    const controller = new AbortController();
    const result = await stage.run({
      argv: ["/bin/sh", "-c", `${daemon(word)}; trap '' TERM; echo READY; while :; do sleep 60; done`],
      confinement: confinement(),
      signal: controller.signal,
      ...(why === "silence" ? { silenceMs: 1_000 } : {}),
      ...(why === "time" ? { timeoutMs: 2_000 } : {}),
      onLine: () => {
        expect(processesWith(word).length).toBeGreaterThan(0);
        if (why === "abort") controller.abort();
      },
    });
    expect(result.ending).toBe({ abort: "aborted", silence: "silent", time: "out-of-time" }[why]);
    expect(processesWith(word)).toEqual([]);
  });

  test("after somebody killed the process that onStart told of", async () => {
    const word = `daemon-${process.pid}-k`;
    let main: number | undefined;
    const result = await stage.run({
      argv: ["/bin/sh", "-c", `${daemon(word)}; echo READY; sleep 60; true`],
      confinement: confinement(),
      onStart: ({ pid }) => {
        main = pid;
      },
      onLine: () => {
        if (main !== undefined) process.kill(main, "SIGKILL");
      },
    });
    expect(result).toMatchObject({ ending: "exited", exitCode: null, signal: "SIGKILL" });
    expect(processesWith(word)).toEqual([]);
  });

  test("after the engine was killed", async () => {
    const word = `daemon-${process.pid}-e`;
    const script = `${daemon(word)}; sleep 60; true`;
    const engine = engineOf(stage, ["/bin/sh", "-c", script]);
    const child = spawn(engine[0] ?? "", engine.slice(1), { env: { PATH }, stdio: "ignore" });
    // Its own command line holds the word as well.
    await until("the daemon runs", () => existsSync(stage.at("wt/ready")));
    expect(processesWith(word).length).toBeGreaterThan(1);
    child.kill("SIGKILL");
    await until("all of it is gone", () => processesWith(word).length === 0);
  });
});

test("a sandbox counts as empty when its first process is gone, and not before", async () => {
  const first = outsider("first");
  const namespace = readlinkSync(`/proc/${first}/ns/pid`).replace(/\D/g, "");
  const file = openStatusFile();
  writeFileSync(file.path, `{ "child-pid": ${first}, "pid-namespace": ${namespace} }\n{ "exit-code": 0 }\n`);
  let ended = false;
  const end = file.settle().then((found) => {
    ended = true;
    return found;
  });
  await new Promise((go) => setTimeout(go, 200));
  expect(ended).toBe(false);
  process.kill(-first, "SIGKILL");
  expect(await end).toEqual({ reported: true, empty: true });
  // The number of one that is gone may be another's by now: that one lives in another namespace.
  const other = openStatusFile();
  writeFileSync(other.path, `{ "child-pid": ${process.pid}, "pid-namespace": 1 }\n`);
  expect(await other.settle()).toEqual({ reported: false, empty: true });
});

describe("an end is told as it was", () => {
  test.each([
    ["exit 0", 0, null],
    ["exit 7", 7, null],
    ["exit 255", 255, null],
    ["kill -KILL $$", null, "SIGKILL"],
    ["kill -SEGV $$", null, "SIGSEGV"],
    ["kill -TERM $$", null, "SIGTERM"],
  ])("%s", async (script, exitCode, signal) => {
    expect(await stage.sh(script, {})).toMatchObject({ ending: "exited", exitCode, signal });
    expect(await stage.sh(script)).toMatchObject({ ending: "exited", exitCode, signal });
  });

  test("a program that pretends that bwrap failed is not believed", async () => {
    const result = await stage.sh("echo 'bwrap: execvp sh: No such file or directory' >&2; exit 1", {});
    expect(result).toMatchObject({ ending: "exited", exitCode: 1 });
  });

  test("its output, its arguments and its environment arrive, and not the mark of the engine", async () => {
    const argv = ["/bin/sh", "-c", 'printf "%s|" "$@" "$A" "$LOOPDASH_FENCE"; pwd; echo err >&2', "sh", "a b", "", "-x", "é\n"];
    const result = await stage.run({ argv, env: { PATH, A: "b=c d" }, confinement: confinement(), marker: "mine" });
    expect(result.tail.replace("err\n", "")).toBe(`a b||-x|é\n|b=c d||${stage.at("wt")}\n`);
  });
});

describe("the terminal of whoever looks at it", () => {
  const inTerminal = (argv: readonly string[], env: Readonly<Record<string, string>>) => {
    const quoted = argv.map((each) => `'${each.replaceAll("'", "'\\''")}'`).join(" ");
    return spawnSync("script", ["-qec", quoted, "/dev/null"], {
      encoding: "utf8",
      env: { ...env, SHELL: "/bin/sh" },
      timeout: 20_000,
    }).stdout;
  };

  test.each([
    ["opens it", "(: > /dev/tty) 2>/dev/null && echo GOT THROUGH; echo DONE"],
    ["types into it", `perl -e 'my $c = "x"; print "GOT THROUGH\\n" if ioctl(STDIN, 0x5412, $c); print "DONE\\n"'`],
  ])("a confined process never %s", async (_, script) => {
    const argv = ["/bin/sh", "-c", script];
    const confined = await stage.sandbox().confine({ argv, cwd: stage.at("wt"), env: { PATH } }, confinement());
    const said = inTerminal(commandOf(confined), confined.env);
    expect(said).toContain("DONE");
    expect(said).not.toContain("GOT THROUGH");
    await confined.settle();
    // Linux 6.2 and newer may refuse typing to everybody but root.
    if (isRoot) expect(inTerminal(argv, { PATH })).toContain("GOT THROUGH");
  });
});

function ptrace(): number {
  return process.arch === "x64" ? 101 : 117;
}
