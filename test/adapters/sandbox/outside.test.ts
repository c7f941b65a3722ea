import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { boundsInotify, inotifyMax } from "../../../src/adapters/sandbox/bubblewrap/outer-namespace.ts";
import { findSandbox } from "../../../src/adapters/sandbox/find-sandbox.ts";
import { mountTable } from "../../../src/adapters/sandbox/mounts/mount-table.ts";
import { canOverlay, notOverlaid, overlay, overlayTop } from "../../../src/adapters/sandbox/mounts/read-overlays.ts";
import type { Confinement } from "../../../src/ports/executor.ts";
import { asOrdinaryUser, engineOf, movedEngine } from "./engine.ts";
import { isRoot, PATH, useStage } from "./support.ts";

const stage = useStage();
const shown = (): Partial<Confinement> => ({ read: [stage.at("outside")] });
/** Numbers of system calls that differ, as perl wants them. */
const CALLS = process.arch === "x64" ? { inotify: 294, clone3: 435 } : { inotify: 26, clone3: 435 };

/** The processes of this test's sandboxes that mount overlays again. */
function remounting(): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const has = (file: string, text: string) => readFileSync(`/proc/${pid}/${file}`, "latin1").includes(text);
      return has("cmdline", "remount,ro") && has("environ", `sandbox-${process.pid}-`);
    } catch (error) {
      // It ended between the listing and the look, or is another user's.
      if (error instanceof Error && "code" in error && ["ENOENT", "ESRCH", "EACCES"].includes(String(error.code))) return false;
      throw error;
    }
  });
}

/** Runs it in the real sandbox, in one without overlays, and unconfined. */
async function everywhere(script: string, more: () => Partial<Confinement> = shown): Promise<string[]> {
  const plain = stage.sandbox({ readOverlays: false });
  const ends = [await stage.sh(script, more()), await stage.sh(script, more(), plain), await stage.sh(script)];
  return ends.map(({ tail }) => tail.trim());
}

describe("what somebody outside holds in a folder that is shown", () => {
  test("a pipe is another pipe", async () => {
    execFileSync("mkfifo", [stage.at("outside/pipe")]);
    const end = openSync(stage.at("outside/pipe"), constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(end));
    // Opened for both, so that it never waits for somebody on the other side.
    const said = await everywhere("test -p $F/outside/pipe && echo pipe; (exec 7<>$F/outside/pipe; printf HIT >&7) 2>/dev/null");
    expect(said).toEqual(["pipe", "pipe", "pipe"]);
    const heard = Buffer.alloc(64);
    // Once without the overlay, once without the sandbox.
    expect(heard.subarray(0, readSync(end, heard)).toString()).toBe("HITHIT");
  });

  test("a socket is nobody's, also one that was renamed, so that no list has its name", async () => {
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.end("HIT\n");
    }).listen(stage.at("outside/s"));
    await once(server, "listening");
    onTestFinished(() => void server.close());
    renameSync(stage.at("outside/s"), stage.at("outside/renamed"));
    const script = `${process.execPath} -e 'require("node:net").connect(process.env.F + "/outside/renamed").on("data", (d) => process.stdout.write(d)).on("error", (e) => console.log(e.code))'`;
    expect(await everywhere(script)).toEqual(["ECONNREFUSED", "HIT", "HIT"]);
    expect(visits).toBe(2);
  });

  test("what appears, is replaced or vanishes in there is seen where the confinement says so", async () => {
    const script = `test ! -e $F/outside/new; cat $F/outside/old $F/outside/gone; : >$F/wt/ready
      until [ -e $F/outside/new ] && [ "$(cat $F/outside/old)" = after ] && [ ! -e $F/outside/gone ]; do sleep 0.05; done; echo seen`;
    const change = async () => {
      const ready = spawn("sh", ["-c", 'until [ -e "$1/wt/ready" ]; do sleep 0.02; done', "sh", stage.folder]);
      await once(ready, "exit");
      stage.put("outside/new");
      execFileSync("rm", [stage.at("outside/gone")]);
      renameSync(stage.put("outside/other", "after\n"), stage.at("outside/old"));
    };
    stage.put("outside/old", "before\n");
    stage.put("outside/gone", "there\n");
    const read = [stage.at("outside")];
    const [{ tail }] = await Promise.all([stage.sh(script, { read, live: read }), change()]);
    expect(tail.trim().split("\n")).toEqual(["before", "there", "seen"]);
  });

  test("nothing is left of what keeps it fresh when the sandbox ends", async () => {
    const read = [stage.at("outside")];
    const running = stage.sh("until [ -e $F/wt/go ]; do sleep 0.02; done", { read, live: read });
    await vi.waitFor(() => expect(remounting()).not.toEqual([]), { timeout: 10_000 });
    stage.put("wt/go");
    await running;
    expect(remounting()).toEqual([]);
  });

  test("a lock that it takes is not met outside", async () => {
    const file = stage.put("outside/lock");
    const script = `flock -s $F/outside/lock sh -c ': >$F/wt/held; until [ -e $F/wt/go ]; do :; done'`;
    const isFree = async (sandbox = stage.sandbox()): Promise<boolean> => {
      execFileSync("rm", ["-f", stage.at("wt/held"), stage.at("wt/go")]);
      const run = stage.sh(script, shown(), sandbox);
      const free = spawn("sh", ["-c", 'until [ -e "$1/held" ]; do :; done; flock -n "$2" true', "sh", stage.at("wt"), file]);
      const [code] = await once(free, "exit");
      stage.put("wt/go");
      await run;
      return code === 0;
    };
    expect(await isFree()).toBe(true);
    expect(await isFree(stage.sandbox({ readOverlays: false }))).toBe(false);
  });

  test("what it watches it hears nothing of", async () => {
    stage.put("outside/file");
    const script = `perl -e '
      my $p = "$ENV{F}/outside"; my $n = syscall(${CALLS.inotify}, 2048); my $add = ${process.arch === "x64" ? 254 : 27};
      syscall($add, $n, $p, 0x2) >= 0 or die; open(my $r, "<&=", $n); open(my $o, ">", "$ENV{F}/wt/ready"); close $o;
      1 until -e "$ENV{F}/wt/go"; print sysread($r, my $b, 4096) ? "heard" : "nothing"; unlink "$ENV{F}/wt/go", "$ENV{F}/wt/ready"'`;
    const poke = spawn("sh", [
      "-c",
      'for n in 1 2 3; do until [ -e "$1/wt/ready" ]; do :; done; echo x >>"$1/outside/file"; : >"$1/wt/go"; while [ -e "$1/wt/ready" ]; do :; done; done',
      "sh",
      stage.folder,
    ]);
    onTestFinished(() => void poke.kill("SIGKILL"));
    expect(await everywhere(script)).toEqual(["nothing", "heard", "heard"]);
  });

  test("what it opens for writing stays read-only, and files are read as they are", async () => {
    stage.put("outside/a/b/file", "as it is\n");
    chmodSync(stage.at("outside/a/b/file"), 0o755);
    const [said] = await everywhere(
      "cat $F/outside/a/b/file; stat -c %a $F/outside/a/b/file; (echo x >$F/outside/a/b/file) 2>&1 | grep -c Read-only",
    );
    expect(said).toBe("as it is\n755\n1");
  });
});

describe("refused by the filter", () => {
  test.each([
    ["a lease", `open(my $f, "<", "$ENV{F}/wt/own"); my $r = fcntl($f, 1024, 0); print defined $r ? "got" : "refused"`],
    [
      "word of what others do in a folder",
      `sysopen(my $d, "$ENV{F}/wt", 0); print defined fcntl($d, 1026, 2) ? "got" : "refused"`,
    ],
    ["a user namespace", `print syscall(${process.arch === "x64" ? 272 : 97}, 0x10000000) == 0 ? "got" : "refused"`],
    ["one by clone", `print syscall(${process.arch === "x64" ? 56 : 220}, 0x10000011, 0, 0, 0, 0) >= 0 ? "got" : "refused"`],
  ])("%s", async (_, script) => {
    stage.put("wt/own");
    const [inside, , outside] = await everywhere(`perl -e '${script}'`, () => ({}));
    expect(inside).toBe("refused");
    expect(outside).toMatch(/^got/);
  });

  test("clone3 is told to be missing, and threads and processes start all the same", async () => {
    const missing = `perl -e 'my $a = "\\0" x 88; $! = 0; syscall(${CALLS.clone3}, $a, 88); print $! + 0, " "'`;
    const work = `${process.execPath} -e 'new (require("node:worker_threads").Worker)("process.stdout.write(require(\\"node:child_process\\").execSync(\\"git --version\\"))", { eval: true })'`;
    const { tail } = await stage.sh(
      `${missing}; ${work}; python3 -c 'import threading as t; x = t.Thread(target=print, args=("thread",)); x.start(); x.join()'`,
      {},
    );
    expect(tail).toMatch(/^38 git version \S+\nthread\n$/);
  });
});

/** Makes instances of inotify until it cannot, or 4,096 times, and keeps them while \`hold\` runs. */
const instances = (hold: string) =>
  `perl -e 'my $n = 0; $n++ while $n < 4096 && syscall(${CALLS.inotify}, 0) >= 0; print "$n\\n"; $| = 1; print ""; ${hold}'`;

describe("inotify", () => {
  test("a sandbox that takes all that it gets leaves the user's own programs theirs", async () => {
    const hold = `open(my $o, ">", "$ENV{F}/wt/ready"); close $o; 1 until -e "$ENV{F}/wt/go"`;
    const inside = stage.sh(instances(hold), {});
    const outside = spawn("sh", ["-c", `until [ -e "$F/wt/ready" ]; do :; done; ${instances("")}; : >"$F/wt/go"`], {
      env: { PATH, F: stage.folder },
    });
    const [bytes] = await once(outside.stdout, "data");
    const { tail } = await inside;
    expect(Number(tail)).toBe(inotifyMax().instances);
    expect(Number(bytes)).toBeGreaterThan(inotifyMax().instances);
  });

  test("is known to be bounded, so that nobody is warned without need", async () => {
    expect(await boundsInotify()).toBe(true);
    const found = await findSandbox({ path: PATH, home: stage.at("home"), state: stage.at("state") });
    // Other tests mount file systems below the folder of temporary files meanwhile: no overlay can be mounted there then.
    const isLacking = (why: string) => /inotify/.test(why) || (/pipes/.test(why) && !why.includes(tmpdir()));
    expect(found.ok && found.lacks.filter(({ why }) => isLacking(why))).toEqual([]);
  });

  test("has a share of what the user may have, also where the kernel tells nothing", () => {
    const setting = (name: string) => ({ "fs.inotify.max_user_instances": "1024", "fs.inotify.max_user_watches": "8192" })[name];
    expect(inotifyMax(setting)).toEqual({ instances: 64, watches: 1_024 });
    expect(inotifyMax(() => undefined)).toEqual({ instances: 8, watches: 1_024 });
  });
});

describe("which folder an overlay shows", () => {
  const line = (at: string) => `30 1 0:9 / ${at} rw - ext4 /dev/x rw\n`;
  const table = mountTable(["/", "/proc", "/home", "/tmp", `${"/tmp"}/m`].map(line).join(""));

  test("the outermost that has nothing mounted in it, on the same file system", () => {
    expect(overlayTop("/usr/bin", table)).toBe("/usr");
    expect(overlayTop("/usr/bin", mountTable(line("/")))).toBe("/");
    // Below a folder that everybody may write.
    expect(overlayTop(stage.at("outside"), mountTable(line("/")))).toBe(stage.folder);
    expect(overlayTop(stage.at("outside"), table)).toBe(stage.folder);
    expect(overlayTop("/", table)).toBeUndefined();
    expect(overlayTop("/tmp", table)).toBeUndefined();
  });

  test("none for what may be written, for sockets, and for a name that an option cannot hold", async () => {
    const bind = (from: string, write = false) => ({ at: from, kind: "bind", from, write }) as const;
    stage.put("a,b/file");
    const odd = stage.at("a,b");
    const { mounts, table: text } = await overlay(
      [bind("/usr/bin"), bind(stage.at("wt"), true), bind(odd), bind("/dev/null")],
      () => Promise.resolve(true),
      { table: mountTable(line("/") + line(odd) + line("/proc")) },
    );
    expect(mounts.map((mount) => mount.kind === "bind" && mount.from)).toEqual([
      "/dev/pts/0/bin",
      stage.at("wt"),
      odd,
      "/dev/null",
    ]);
    expect(text).toContain("lowerdir=/usr:/dev/pts/0");
  });

  test("what cannot be shown by one is told", async () => {
    expect(await canOverlay(["/usr"])).toBe(true);
    expect(await canOverlay(["/nowhere"])).toBe(false);
    expect(await notOverlaid(["/usr", "/"])).toEqual(["/"]);
  });
});

test("all of it holds for an ordinary user", async () => {
  for (const path of [stage.folder, ...["home", "state", "wt", "outside"].map((name) => stage.at(name))]) chmodSync(path, 0o777);
  execFileSync("mkfifo", ["-m", "666", stage.at("outside/pipe")]);
  const end = openSync(stage.at("outside/pipe"), constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(end));
  writeFileSync(
    stage.at("wt/try.sh"),
    `(exec 7<>$F/outside/pipe; echo HIT >&7) 2>/dev/null; ${instances("")}; ls / | tr "\\n" " "`,
  );
  const engine = engineOf(
    stage,
    ["/bin/sh", stage.at("wt/try.sh")],
    { found: true, read: [stage.at("outside")] },
    await movedEngine(stage),
  );
  const result = JSON.parse(asOrdinaryUser(stage, engine));
  expect(result).toMatchObject({ ending: "exited", exitCode: 0 });
  expect(result.tail.split("\n")[0]).toBe(String(inotifyMax().instances));
  for (const closed of ["opt", "srv", "mnt", "home", "root"]) expect(result.tail.split("\n")[1].split(" ")).not.toContain(closed);
  expect(() => readSync(end, Buffer.alloc(8))).toThrow("EAGAIN");
  if (isRoot) expect(readFileSync("/proc/self/status", "utf8")).toMatch(/^Uid:\s+0/m);
});
