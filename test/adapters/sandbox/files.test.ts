import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Confinement } from "../../../src/ports/executor.ts";
import { isRoot, useStage } from "./support.ts";

/** Another program's temporary files. */
const others = mkdtempSync(join(tmpdir(), "loopdash-others-"));
afterAll(() => rmSync(others, { recursive: true }));

const stage = useStage();

interface Probe {
  readonly what: string;
  /** Ends well where it got through. $F is the stage, the working folder is the worktree. */
  readonly script: string;
  readonly opened?: () => Partial<Confinement>;
  /** Whether an unconfined one can on this machine. Where it cannot, that it fails inside is all there is to see. */
  readonly open?: () => boolean;
}

const asRoot = () => isRoot;

function filesIn(folder: string): number {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).length : 0;
}

const partly = () => ({ read: [stage.at("wt/kept"), stage.at("wt/a/b/kept")] });

const PROBES: readonly Probe[] = [
  { what: "make a file outside", script: "echo x > $F/outside/new" },
  { what: "change a file outside", script: "echo x >> $F/outside/victim" },
  { what: "delete a file outside", script: "rm $F/outside/victim" },
  {
    what: "change a file outside that it may read",
    script: "echo x >> $F/outside/victim",
    opened: () => ({ read: [stage.at("outside")] }),
  },
  {
    what: "change the mode of a file that it may read",
    script: "chmod 666 $F/outside/victim",
    opened: () => ({ read: [stage.at("outside")] }),
  },
  {
    what: "change the time of a file that it may read",
    script: "touch -d 2001-01-01 $F/outside/victim",
    opened: () => ({ read: [stage.at("outside")] }),
  },
  { what: "read a file beside the worktree", script: "cat $F/outside/victim" },
  { what: "read a key in the home", script: "cat $F/home/.ssh/id" },
  { what: "read a key by ~", script: "cat ~/.ssh/id" },
  {
    what: "read the home of the password file",
    // Folders may be there as ways to what is opened: toolchains, or a checkout that lies below the home.
    script: `find '${userInfo().homedir}' -maxdepth 1 -type f | grep -q .`,
    open: () => filesIn(userInfo().homedir) > 0,
  },
  { what: "read a setting in the home that may hold a token", script: "cat ~/.npmrc" },
  { what: "read the journal", script: "cat $F/state/loopdash.db" },
  { what: "read another worktree", script: "cat $F/state/worktrees/T-2/file" },
  { what: "write another worktree", script: "echo x >> $F/state/worktrees/T-2/file" },
  { what: "see the names in the state folder", script: "ls $F/state | grep ." },
  { what: "see the temporary files of others", script: `ls ${others}` },
  { what: "write through a link to outside", script: "ln -s $F/outside l && echo x > l/through" },
  { what: "read through a link to outside", script: "ln -s $F/outside/victim l && cat l" },
  {
    what: "write through a link to a folder that it may read",
    script: "ln -s $F/outside l && echo x > l/through",
    opened: () => ({ read: [stage.at("outside")] }),
  },
  { what: "read by /proc/self/root", script: "cat /proc/self/root$F/outside/victim" },
  { what: "read by /proc/PARENT/root", script: "cat /proc/$PPID/root$F/outside/victim || cat /proc/1/root$F/outside/victim" },
  { what: "read by ..", script: "cat ../outside/victim" },
  { what: "hard link a file outside into the worktree", script: "ln $F/outside/victim l && echo x >> l" },
  {
    what: "hard link a file that it may read",
    script: "ln $F/outside/victim l && echo x >> l",
    opened: () => ({ read: [stage.at("outside")] }),
  },
  { what: "write a read-only part of the worktree", script: "echo x >> kept", opened: partly },
  { what: "delete a read-only part", script: "rm -f kept", opened: partly },
  { what: "put a read-only part aside", script: "mv kept aside", opened: partly },
  { what: "replace a read-only part", script: "echo x > new && mv -f new kept", opened: partly },
  { what: "hard link a read-only part", script: "ln kept l && echo x >> l", opened: partly },
  { what: "write a read-only part deep in the worktree", script: "echo x >> a/b/kept", opened: partly },
  { what: "rename the folder of a read-only part", script: "mv a/b a/c && mkdir a/b && echo x > a/b/kept", opened: partly },
  { what: "rename a folder above a read-only part", script: "mv a z && mkdir -p a/b && echo x > a/b/kept", opened: partly },
  { what: "remove all of the worktree", script: "rm -rf a kept; test ! -e kept", opened: partly },
  { what: "mount something", script: "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none $F/wt'" },
  { what: "mount something by itself", script: "unshare --mount true && mount -t tmpfs none a && umount a", open: asRoot },
  { what: "make a user namespace", script: "unshare --user true" },
  { what: "make a device", script: "mknod d c 1 3 && echo x > d", open: asRoot },
  { what: "change root", script: "chroot / true", open: asRoot },
  { what: "read the password hashes", script: "cat /etc/shadow", open: asRoot },
  {
    what: "set what handles core dumps",
    script: "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern",
    open: asRoot,
  },
  {
    what: "change settings of the kernel",
    script: "find /proc/sys -maxdepth 3 -type f -writable 2>/dev/null | grep -q .",
    open: asRoot,
  },
  {
    what: "write a setting of /sys",
    script: "find /sys/kernel /sys/module -maxdepth 3 -type f -writable 2>/dev/null | grep -q .",
    open: asRoot,
  },
  {
    what: "make a control group",
    script: "for d in /sys/fs/cgroup /sys/fs/cgroup/*/; do mkdir $d/probe-$$ && rmdir $d/probe-$$ && exit 0; done; false",
    open: asRoot,
  },
  { what: "read keys of the kernel", script: "cat /proc/keys" },
  { what: "read logs of the system", script: "ls /var/log | grep ." },
];

describe("a confined process cannot, and an unconfined one can", () => {
  test.each(PROBES)("$what", async ({ script, opened, open }) => {
    const wanted = `(${script}) >got 2>said && echo GOT THROUGH; echo DONE`;
    for (const path of ["outside/victim", "home/.ssh/id", "home/.npmrc", "state/loopdash.db", "state/worktrees/T-2/file"])
      stage.put(path);
    for (const path of ["wt/kept", "wt/a/b/kept"]) stage.put(path);
    const confined = await stage.sh(wanted, opened?.() ?? {});
    expect(confined).toMatchObject({ ending: "exited", exitCode: 0, tail: "DONE\n" });
    expect(existsSync(stage.at("wt/got"))).toBe(true);
    for (const path of ["outside/victim", "wt/kept", "wt/a/b/kept"]) expect(path && existsSync(stage.at(path))).toBe(true);
    expect(readFileSync(stage.at("outside/victim"), "utf8")).toBe("seen\n");
    if (open?.() === false) return;
    const control = await stage.sh(`rm -f l aside; ${wanted}`);
    expect(control.tail).toBe("GOT THROUGH\nDONE\n");
  });
});

describe("what a confinement opens", () => {
  test("may be written, also where it lies in something hidden, and stays when the sandbox is gone", async () => {
    const write = [stage.at("wt"), stage.at("state/worktrees/T-2")];
    const result = await stage.sh("echo x > new && echo y > $F/state/worktrees/T-2/new && ls $F/state", { write });
    expect(result).toMatchObject({ exitCode: 0, tail: "worktrees\n" });
    expect(readFileSync(stage.at("state/worktrees/T-2/new"), "utf8")).toBe("y\n");
  });

  test("a writable part of a read-only part of a writable folder", async () => {
    for (const path of ["wt/a/file", "wt/a/b/file", "wt/a/b/c/file"]) stage.put(path);
    const opened = { write: [stage.at("wt"), stage.at("wt/a/b")], read: [stage.at("wt/a"), stage.at("wt/a/b/c")] };
    const script = "for f in file a/file a/b/file a/b/c/file; do (echo x >> $f) 2>/dev/null && echo $f; done; true";
    expect((await stage.sh(script, opened)).tail).toBe("file\na/b/file\n");
  });

  test("another folder in the place of one", async () => {
    stage.put("outside/file", "other\n");
    stage.put("wt/dir/file", "own\n");
    const mounts = [
      { from: stage.at("outside"), at: stage.at("wt/dir"), write: false },
      { from: stage.at("outside"), at: "/run/loopdash/it", write: true },
    ];
    const script =
      "cat dir/file /run/loopdash/it/file; (echo x > dir/new) 2>/dev/null || echo kept; echo x > /run/loopdash/it/new";
    expect(await stage.sh(script, { mounts })).toMatchObject({ exitCode: 0, tail: "other\nother\nkept\n" });
    expect(existsSync(stage.at("outside/new"))).toBe(true);
    expect(readFileSync(stage.at("wt/dir/file"), "utf8")).toBe("own\n");
  });

  test.each(["with space", "new\nline", "-rf", "--bind", "ünï✓", "$(id)", "a'b\"c", "*"])("a folder called %j", async (name) => {
    stage.put(`outside/${name}/file`, "mine\n");
    const opened = { write: [stage.at("wt"), stage.at("outside", name)], read: [stage.at("outside", name, "file")] };
    const argv = [
      "/bin/sh",
      "-c",
      'cat "$1/file" && echo x > "$1/new" && (echo x >> "$1/file") 2>/dev/null || echo kept',
      "sh",
      stage.at("outside", name),
    ];
    const confinement = { ...opened, mounts: [], sockets: [] };
    expect(await stage.run({ argv, confinement })).toMatchObject({ exitCode: 0, tail: "mine\nkept\n" });
    expect(existsSync(stage.at("outside", name, "new"))).toBe(true);
  });

  test("through links on the way to it, which are there inside as well", async () => {
    stage.put("outside/real/file");
    symlinkSync(stage.at("outside"), stage.at("way"));
    symlinkSync("real", stage.at("outside/again"));
    const read = [stage.at("way/again")];
    expect(await stage.sh("cat $F/way/again/file $F/outside/real/file", { read })).toMatchObject({ tail: "seen\nseen\n" });
  });
});

describe("a confinement that cannot be kept starts nothing", () => {
  const ran = () => existsSync(stage.at("wt/ran"));

  test.each<[string, () => Partial<Confinement>, RegExp]>([
    [
      "a folder to write that is not there",
      () => ({ write: [stage.at("nowhere")] }),
      /nowhere cannot be reached: there is no such/,
    ],
    ["a file to read that is not there", () => ({ read: [stage.at("nowhere")] }), /nowhere cannot be reached/],
    ["a socket that is not there", () => ({ sockets: [stage.at("nowhere")] }), /nowhere cannot be reached/],
    ["a socket that is a file", () => ({ sockets: [stage.put("file")] }), /is not a Unix socket/],
    ["a relative path", () => ({ write: ["wt"] }), /not an absolute path/],
    ["a path with ..", () => ({ write: [`${stage.at("wt")}/../outside`] }), /not an absolute path in its simplest form/],
    ["a path with a NUL", () => ({ write: [`${stage.at("wt")}\0`] }), /not an absolute path/],
    ["everything writable", () => ({ write: ["/"] }), /cannot be made writable/],
    ["the home writable", () => ({ write: [stage.at("home")] }), /cannot be made writable/],
    ["what holds the home writable", () => ({ write: [stage.folder] }), /cannot be made writable: it holds/],
    ["the temporary folder of all", () => ({ write: ["/tmp"] }), /cannot be made writable/],
    ["the processes", () => ({ write: ["/proc"] }), /cannot be made writable/],
    ["the state folder", () => ({ read: [stage.at("state")] }), /holds the state of loopdash/],
    [
      "the state folder by a mount",
      () => ({ mounts: [{ from: stage.at("state"), at: "/run/s", write: false }] }),
      /holds the state/,
    ],
    ["keys", () => ({ read: [stage.at("home/.ssh")] }), /holds keys or logins/],
    ["one key", () => ({ read: [stage.put("home/.ssh/id")] }), /holds keys or logins/],
    [
      "two mounts at one place",
      () => ({ mounts: [1, 2].map(() => ({ from: stage.at("outside"), at: "/run/x", write: false })) }),
      /two things/,
    ],
    [
      "a link that an earlier attempt may have set",
      () => {
        symlinkSync(stage.at("outside"), stage.at("wt/cache"));
        return { write: [stage.at("wt"), stage.at("wt/cache")] };
      },
      /symbolic link in a folder that the program may write/,
    ],
    [
      "a link of that kind as a place to mount at",
      () => {
        symlinkSync("/etc", stage.at("wt/cache"));
        return { mounts: [{ from: stage.at("outside"), at: stage.at("wt/cache/x"), write: true }] };
      },
      /symbolic link in a folder that the program may write/,
    ],
  ])("%s", async (_, opened, message) => {
    const result = await stage.sh("touch $F/wt/ran", opened());
    expect(result).toMatchObject({ ending: "failed-to-start", exitCode: null, message: expect.stringMatching(message) });
    expect(ran()).toBe(false);
  });

  test("a working folder that is hidden", async () => {
    const result = await stage.run({ argv: ["true"], cwd: stage.at("outside"), confinement: only(stage.at("wt")) });
    expect(result).toMatchObject({ ending: "failed-to-start", message: expect.stringContaining("is hidden in the sandbox") });
  });

  test("a program that is not there", async () => {
    const result = await stage.run({ argv: ["no-such-program"], confinement: only(stage.at("wt")) });
    expect(result).toMatchObject({ ending: "failed-to-start", message: 'there is no program "no-such-program"' });
  });

  test("a bwrap that cannot do its work", async () => {
    const mounts = [{ from: stage.at("outside"), at: `/usr/share/${process.pid}-no-such-place`, write: false }];
    const result = await stage.sh("touch ran", { mounts });
    expect(result).toMatchObject({ ending: "failed-to-start", message: expect.stringContaining("could not be set up: bwrap:") });
    expect(ran()).toBe(false);
  });

  test("a bwrap that is gone", async () => {
    const result = await stage.sh("touch ran", {}, stage.sandbox({ program: "/nowhere/bwrap" }));
    expect(result).toMatchObject({ ending: "failed-to-start" });
    expect(ran()).toBe(false);
  });
});

describe("of the home", () => {
  test("a batch that opens all of it still shows no keys", async () => {
    for (const path of ["home/.ssh/id", "home/.cargo/credentials.toml", "home/.config/gh/hosts.yml", "home/notes"])
      stage.put(path);
    const script = "cd; cat notes; cat .ssh/id .cargo/credentials.toml .config/gh/hosts.yml 2>/dev/null; true";
    const result = await stage.sh(script, { read: [stage.at("home")] });
    expect(result).toMatchObject({ exitCode: 0, tail: "seen\n" });
  });

  test("what is written there is gone afterwards, and was never outside", async () => {
    expect(await stage.sh("echo x > ~/.bashrc && cat ~/.bashrc && test $TMPDIR = /tmp && echo x > /tmp/x", {})).toMatchObject({
      tail: "x\n",
    });
    expect(existsSync(stage.at("home/.bashrc"))).toBe(false);
  });
});

test("a file that shares its content with one outside is no way out of the read-only part", async () => {
  stage.put("outside/file");
  mkdirSync(stage.at("wt/ro"));
  linkSync(stage.at("outside/file"), stage.at("wt/ro/file"));
  const read = [stage.at("wt/ro")];
  expect((await stage.sh("(echo x >> ro/file) 2>/dev/null || echo kept", { read })).tail).toBe("kept\n");
});

function only(path: string): Confinement {
  return { write: [path], read: [], mounts: [], sockets: [] };
}
