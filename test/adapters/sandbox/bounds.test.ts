import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { describe, expect, test } from "vitest";
import { findGroupHome, makeGroup, memoryMax } from "../../../src/adapters/sandbox/bubblewrap/control-group.ts";
import { findSandbox } from "../../../src/adapters/sandbox/find-sandbox.ts";
import { mountTable } from "../../../src/adapters/sandbox/mounts/mount-table.ts";
import { engineOf } from "./engine.ts";
import { isRoot, PATH, useStage } from "./support.ts";

const stage = useStage();

/** Forks until it cannot, or 250 times, and tells how often it could. */
const FORKS = `perl -e 'my $n = 0; while ($n < 250) { my $p = fork; last unless defined $p; if (!$p) { sleep 60; exit } $n++ } print "$n\\n"'`;

describe("a program that starts more and more of itself", () => {
  test("meets a bound, whoever runs loopdash; root, where a control group can be made", async () => {
    const groups = findGroupHome();
    const small = stage.sandbox({ processes: 64, ...(groups === undefined ? {} : { groups }) });
    const started = Number((await stage.sh(FORKS, {}, small)).tail);
    if (groups !== undefined || !isRoot) expect(started).toBeLessThan(64);
    // A limit of a process binds root in no user namespace: without a group this is what it comes to.
    if (isRoot) expect((await stage.sh(FORKS, {}, stage.sandbox({ processes: 64 }))).tail).toBe("250\n");
    // Other sandboxes have bounds of their own.
    expect((await stage.sh(FORKS, {}, stage.sandbox())).tail).toBe("250\n");
    if (groups !== undefined) {
      const left = readdirSync(groups.folder).filter((name) => name.startsWith(`loopdash-${process.pid}-`));
      expect(left).toEqual([]);
    }
  });

  test("what bounds there are is told", async () => {
    const groups = findGroupHome();
    const found = await findSandbox({ path: PATH, processes: 77 });
    const counted = groups !== undefined || !isRoot ? "77 processes" : "any number of processes";
    expect(found).toMatchObject({ ok: true, bounds: expect.stringContaining(counted) });
    if (found.ok) expect(found.lacks.some(({ why }) => why.includes("not bounded"))).toBe(isRoot && groups === undefined);
  });
});

test.each([
  ["by the shell in its own namespace", true],
  ["by a program in the sandbox where the shell has no namespace of its own", false],
])("limits of what the kernel counts, and of core dumps, are set %s", async (_, readOverlays) => {
  const limits = (text: string) => (name: string) => new RegExp(`^${name}\\s+(\\S+)\\s+(\\S+)`, "m").exec(text)?.slice(1);
  const own = limits(readFileSync("/proc/self/limits", "utf8"));
  const sandbox = stage.sandbox({ processes: 77, readOverlays });
  const more = { limits: { memoryBytes: 2 ** 30, cpuSeconds: 50, fileBytes: 2 ** 20 } };
  const inside = limits((await stage.sh("cat /proc/self/limits", more, sandbox)).tail);
  const both = (most: number) => [String(most), String(most)];
  const part = (name: string) => both(Math.floor(Number(own(name)?.[1]) / 4));
  expect(inside("Max core file size")).toEqual(both(1));
  expect(inside("Max processes")).toEqual(both(77));
  for (const name of ["Max pending signals", "Max msgqueue size"]) expect(inside(name)).toEqual(part(name));
  expect(inside("Max address space")).toEqual(both(2 ** 30));
  expect(inside("Max cpu time")).toEqual(both(50));
  expect(inside("Max file size")).toEqual(both(2 ** 20));
});

test("when memory runs out the kernel ends what is confined before the engine, and nothing confined changes that", async () => {
  const script = "cat /proc/self/oom_score_adj; (echo -500 >/proc/self/oom_score_adj) 2>/dev/null && echo GOT THROUGH; echo DONE";
  const own = readFileSync("/proc/self/oom_score_adj", "utf8");
  const [inside, ...rest] = (await stage.sh(script, {})).tail.split("\n");
  expect(Number(inside)).toBeGreaterThanOrEqual(Math.max(500, Number(own)));
  expect(rest).toEqual(["DONE", ""]);
  expect(readFileSync("/proc/self/oom_score_adj", "utf8")).toBe(own);
});

describe("control groups", () => {
  /** A folder that looks like a tree of control groups (version 2) in which `given` is given on to those below `/user`. */
  const tree = (given: string) => {
    stage.put("cgroup/user/cgroup.subtree_control", given);
    mkdirSync(stage.at("cgroup/user/terminal"), { recursive: true });
    stage.put("cgroup/user/terminal/cgroup.subtree_control", "\n");
    const table = mountTable(`1 2 0:3 / ${stage.at("cgroup")} rw - cgroup2 cgroup2 rw\n`);
    return { own: "1:name=systemd:/\n0::/user/terminal\n", table };
  };

  test("are made beside the engine's own, and bound processes and memory", async () => {
    const home = findGroupHome(tree("cpu memory pids\n"));
    expect(home).toEqual({ folder: stage.at("cgroup/user"), memory: true });
    if (home === undefined) return;
    const group = makeGroup(home, { processes: 12, bytes: memoryMax() });
    const read = (name: string) => readFileSync(group.enter.replace("cgroup.procs", name), "utf8");
    expect(read("pids.max")).toBe("12");
    expect(Number(read("memory.max"))).toBeGreaterThan(2 ** 24);
    expect(Number(read("memory.max"))).toBeLessThanOrEqual(totalmem() * 0.75);
  });

  test("bound processes alone where that is all that is given, and are not made where nothing is", () => {
    expect(findGroupHome(tree("pids\n"))).toMatchObject({ memory: false });
    expect(findGroupHome(tree("cpu memory\n"))).toBeUndefined();
    expect(findGroupHome({ ...tree("pids\n"), own: "0::/elsewhere/else\n" })).toBeUndefined();
    expect(findGroupHome({ own: "", table: [] })).toBeUndefined();
  });

  test("of version 1 are known too, also where several are one", () => {
    mkdirSync(stage.at("pids/box"), { recursive: true });
    const table = mountTable(`1 2 0:3 /docker ${stage.at("pids")} rw - cgroup cgroup rw,cpuset,pids\n`);
    expect(findGroupHome({ own: "8:cpuset,pids:/docker/box\n", table })).toEqual({ folder: stage.at("pids/box"), memory: false });
    expect(findGroupHome({ own: "8:cpuset,pids:/other\n", table })).toBeUndefined();
  });

  test("that an engine left which was killed are removed by the next one, those of a living one are not", () => {
    const of = tree("pids\n");
    const dead = spawnSync("/bin/true").pid;
    const [left, kept] = [stage.at(`cgroup/user/loopdash-${dead}-1`), stage.at(`cgroup/user/loopdash-${process.pid}-x`)];
    for (const folder of [left, kept]) mkdirSync(folder);
    findGroupHome(of);
    expect([left, kept].map((folder) => existsSync(folder))).toEqual([false, true]);
  });
});

describe("what is mounted outside during a run, in a folder that is visible inside", () => {
  /** Mounts a file system when the confined program is ready, in a world whose mounts are shared, as systemd makes them. */
  const DRIVER = `"$@" & until [ -e wt/ready ]; do sleep 0.02; done
mount -t tmpfs none outside/later && echo x >outside/later/file && touch wt/go; wait; umount outside/later`;
  const INSIDE =
    ": >ready; until [ -e go ]; do :; done; cat $F/outside/later/file; echo y >$F/outside/later/new && echo GOT THROUGH; echo DONE";

  test.each([
    ["is not there", true, "DONE\n"],
    // What this is about: so it is without the defence.
    ["would be there, and writable", false, "x\nGOT THROUGH\nDONE\n"],
  ])("%s", (_, found, tail) => {
    mkdirSync(stage.at("outside/later"));
    const world = ["--mount", "--propagation", "shared", ...(isRoot ? [] : ["--user", "--map-root-user"])];
    const engine = engineOf(stage, ["/bin/sh", "-c", `(${INSIDE}) 2>/dev/null`], { found, read: [stage.at("outside")] });
    const options = { cwd: stage.folder, env: { PATH }, encoding: "utf8", timeout: 25_000 } as const;
    const { stdout, stderr } = spawnSync("unshare", [...world, "sh", "-c", DRIVER, "sh", ...engine], options);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ ending: "exited", exitCode: 0, tail });
  });

  test("can come where the table of mounts says so", () => {
    const shared = "29 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n30 1 0:9 / /x rw master:2 - tmpfs t rw\n";
    expect(mountTable(shared).map(({ receives }) => receives)).toEqual([true, true]);
    expect(mountTable("29 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n").map(({ receives }) => receives)).toEqual([false]);
  });
});
