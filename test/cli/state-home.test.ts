import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { prepareStateHome, stateHome } from "../../src/cli/state-home.ts";

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "loopdash-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const at = (root: string) => stateHome({ LOOPDASH_HOME: root }, "/");

describe("stateHome", () => {
  test("names everything under LOOPDASH_HOME", () => {
    expect(stateHome({ LOOPDASH_HOME: "/x/y", XDG_STATE_HOME: "/z", HOME: "/h" }, "/cwd")).toEqual({
      root: "/x/y",
      db: "/x/y/loopdash.db",
      runs: "/x/y/runs",
      worktrees: "/x/y/worktrees",
      locks: "/x/y/locks",
      prepared: "/x/y/prepared",
      harness: "/x/y/harness",
      resultsSecret: "/x/y/results.key",
    });
  });

  test.for([
    ["a relative LOOPDASH_HOME is taken from the working folder", { LOOPDASH_HOME: "a/../b" }, "/cwd/b"],
    ["an empty LOOPDASH_HOME counts as none", { LOOPDASH_HOME: "", XDG_STATE_HOME: "/z" }, "/z/loopdash"],
    ["XDG_STATE_HOME comes next", { XDG_STATE_HOME: "/z", HOME: "/h" }, "/z/loopdash"],
    ["a relative XDG_STATE_HOME does not count", { XDG_STATE_HOME: "z", HOME: "/h" }, "/h/.local/state/loopdash"],
    ["HOME comes last", { HOME: "/h" }, "/h/.local/state/loopdash"],
    ["without any, the system's idea of home", {}, join(homedir(), ".local/state/loopdash")],
  ] as const)("%s", ([, env, root]) => {
    expect(stateHome(env, "/cwd").root).toBe(root);
  });
});

describe("prepareStateHome", () => {
  test("makes folders for this user alone, leaves nothing else, and can be repeated", () => {
    const root = join(tempFolder(), "deep", "home");
    prepareStateHome(at(root));
    prepareStateHome(at(root));
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(["locks", "runs", "worktrees"]);
    for (const name of [".", "..", "locks", "runs", "worktrees"])
      expect(statSync(join(root, name)).mode & 0o777, name).toBe(0o700);
  });

  test("closes its own folders where they were open", () => {
    const root = tempFolder();
    mkdirSync(join(root, "runs"));
    chmodSync(join(root, "runs"), 0o777);
    prepareStateHome(at(root));
    expect(statSync(join(root, "runs")).mode & 0o777).toBe(0o700);
  });

  test.for([0o777, 0o770, 0o720])("refuses a home that others may write to (mode %o), and leaves its mode", (mode) => {
    const root = tempFolder();
    chmodSync(root, mode);
    expect(() => prepareStateHome(at(root))).toThrow(
      expect.objectContaining({ exitCode: 4, todo: expect.stringContaining("chmod go-w") }),
    );
    expect(statSync(root).mode & 0o777).toBe(mode);
  });

  test("refuses a file in place of the home or of a folder in it", () => {
    const root = tempFolder();
    writeFileSync(join(root, "runs"), "");
    const refused = expect.objectContaining({ name: "UserError", exitCode: 4 });
    expect(() => prepareStateHome(at(root))).toThrow(refused);
    expect(() => prepareStateHome(at(join(root, "runs")))).toThrow(refused);
    expect(() => prepareStateHome(at(join(root, "runs", "x")))).toThrow(refused);
  });

  test("refuses a place where nothing can be made", () => {
    expect(() => prepareStateHome(at("/proc/loopdash"))).toThrow(expect.objectContaining({ name: "UserError", exitCode: 4 }));
  });

  /** Prepares a home on a small disk of its own, after `spoil` (shell, with the disk's folder as $1). */
  function onSmallDisk(spoil: string): string {
    const module = JSON.stringify(join(import.meta.dirname, "../../src/cli/state-home.ts"));
    const js = `import { prepareStateHome, stateHome } from ${module};
      try { prepareStateHome(stateHome({ LOOPDASH_HOME: process.argv[1] }, "/")); console.log("prepared"); }
      catch (error) { console.log(error.name, error.exitCode, error.why); }`;
    const shell = `mount -t tmpfs -o size=64k,mode=700 none "$1" && ${spoil} && exec "$2" --input-type=module -e "$3" "$1"`;
    return execFileSync("unshare", ["-rm", "sh", "-c", shell, "sh", tempFolder(), process.execPath, js], {
      encoding: "utf8",
    }).trim();
  }

  test.for([
    ["with room", "true", "prepared"],
    ["that is full", 'head -c 65536 /dev/zero > "$1/ballast"', "UserError 4 the disk is full"],
    ["that is read-only", 'mount -o remount,ro,bind "$1"', "UserError 4 it is on a read-only file system"],
  ] as const)("on a disk %s", ([, spoil, said]) => {
    expect(onSmallDisk(spoil)).toBe(said);
  });

  test("leaves no probe behind on a full disk", () => {
    const count =
      'head -c 65536 /dev/zero > "$1/ballast"; "$2" --input-type=module -e "$3" "$1" >/dev/null; find "$1" -name ".probe*" | wc -l; true';
    expect(onSmallDisk(count).split("\n")[0]).toBe("0");
  });
});
