import { describe, expect, test } from "vitest";
import { arrange, mountArguments, type SandboxMount } from "../../../../src/adapters/sandbox/mounts/mount.ts";
import { automounts } from "../../../../src/adapters/sandbox/mounts/mount-table.ts";

const bind = (at: string, write = false, from = at): SandboxMount => ({ at, kind: "bind", from, write });
const tool = (at: string): SandboxMount => ({ at, kind: "bind", from: at, write: false, tool: true });
const hidden = (at: string): SandboxMount => ({ at, kind: "hidden" });
const own = (at: string): SandboxMount => ({ at, kind: "private", mode: "0700", bytes: 1 });
const short = (mounts: readonly SandboxMount[]) =>
  mounts.map((mount) => `${mount.kind === "bind" ? (mount.write ? "rw" : "ro") : mount.kind} ${mount.at}`);

describe("mounts are put in order", () => {
  test.each<[what: string, given: SandboxMount[], wanted: string[]]>([
    ["outer ones first", [bind("/w/a/b", true), own("/w"), own("/x")], ["private /w", "private /x", "rw /w/a/b"]],
    ["what shows everything before all others", [bind("/w"), bind("/")], ["ro /"]],
    ["of two at one place the later", [bind("/w", true), bind("/w")], ["ro /w"]],
    ["nothing is there that is not named", [hidden("/w"), hidden("/w/x"), tool("/t")], ["ro /t"]],
    [
      "what changes nothing is left out",
      [bind("/usr"), hidden("/usr/h"), hidden("/usr/h/x"), bind("/w", true), bind("/w/a", true)],
      ["ro /usr", "rw /w", "hidden /usr/h"],
    ],
    [
      "a hidden part of something shown again",
      [own("/h"), bind("/h/a"), hidden("/h/a/s")],
      ["private /h", "ro /h/a", "hidden /h/a/s"],
    ],
    [
      "a tool only where it would be hidden",
      [bind("/usr"), tool("/usr/bin"), own("/h"), tool("/h/t"), bind("/h/w", true), tool("/h/w/t")],
      ["ro /usr", "private /h", "rw /h/w", "ro /h/t"],
    ],
    ["a tool never in the place of what is hidden", [tool("/h"), own("/h")], ["private /h"]],
    [
      "folders between what may be written and what may not are held",
      [bind("/w", true), bind("/w/a/b/c")],
      ["rw /w", "rw /w/a", "rw /w/a/b", "ro /w/a/b/c"],
    ],
    [
      "each of them once",
      [bind("/w", true), bind("/w/a/b"), bind("/w/a/c/d")],
      ["rw /w", "rw /w/a", "ro /w/a/b", "rw /w/a/c", "ro /w/a/c/d"],
    ],
    ["also in the place of another folder", [bind("/w", true, "/o"), bind("/w/a/b")], ["rw /w", "rw /w/a", "ro /w/a/b"]],
    ["not what lies in a folder of another name", [bind("/w", true), own("/wx")], ["rw /w", "private /wx"]],
  ])("%s", (_, given, wanted) => {
    expect(short(arrange(given))).toEqual(wanted);
  });

  test("what holds a place in another folder comes from there", () => {
    expect(arrange([bind("/w", true, "/o"), bind("/w/a/b")])[1]).toMatchObject({ at: "/w/a", from: "/o/a" });
  });

  test("as arguments of bwrap", () => {
    const masked: SandboxMount = { at: "/etc/shadow", kind: "masked" };
    const link: SandboxMount = { at: "/h/l", kind: "link", target: "w" };
    expect(
      mountArguments([hidden("/h"), masked, link, bind("/h/w", true), bind("/x", false, "/y"), tool("/t"), own("/o")]),
    ).toEqual([
      ...["--perms", "0555", "--size", "4096", "--tmpfs", "/h"],
      ...["--ro-bind", "/dev/null", "/etc/shadow"],
      ...["--symlink", "w", "/h/l"],
      ...["--bind", "/h/w", "/h/w"],
      ...["--ro-bind", "/y", "/x"],
      ...["--ro-bind-try", "/t", "/t"],
      ...["--perms", "0700", "--size", "1", "--tmpfs", "/o"],
    ]);
  });
});

test("folders that are mounted when somebody looks into them are known", () => {
  const text = [
    "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw",
    "40 27 0:35 / /data rw,relatime shared:20 - autofs systemd-1 rw,fd=50",
    "41 27 0:36 / /net/my\\040share rw - autofs /etc/auto.net rw",
    "42 27 0:37 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw",
    "43 40 0:38 / /data rw - nfs autofs rw",
    "",
  ].join("\n");
  expect(automounts(text)).toEqual(["/data", "/net/my share"]);
  expect(automounts()).toEqual(expect.any(Array));
});
