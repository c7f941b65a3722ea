import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../helpers/scratch.ts";

const PROGRAM = resolve(import.meta.dirname, "../../dist/loopdash.js");
const scratch = scratchFolder();
const SETTINGS = "settings.local.json";

let home: string;
let app: string;

// Hooks that are tried start it.
afterAll(() => void spawnSync("pkill", ["-f", `${PROGRAM} __guard-server`]));
beforeEach(() => {
  home = join(scratch(), "home");
  app = join(home, "app");
  mkdirSync(join(app, ".git"), { recursive: true });
  mkdirSync(join(home, "outside"));
});

function guard(act: string, ...args: readonly string[]) {
  const options = { cwd: app, env: { PATH: "/usr/bin:/bin", HOME: home }, encoding: "utf8", input: "", timeout: 60_000 } as const;
  const argv = [PROGRAM, "guard", act, "--project", "--agent", "claude", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, options);
  return { status, stdout, stderr };
}

describe("loopdash guard --project in a repository whose settings are a link", () => {
  test.each<[string, () => void]>([
    ["a folder outside", () => symlinkSync("../outside", join(app, ".claude"))],
    ["a folder outside that is not there", () => symlinkSync("../outside/new", join(app, ".claude"))],
    [
      "a file outside",
      () => {
        mkdirSync(join(app, ".claude"));
        writeFileSync(join(home, "outside", "file.json"), "{}");
        symlinkSync("../../outside/file.json", join(app, ".claude", SETTINGS));
      },
    ],
    [
      "a file outside that is not there",
      () => {
        mkdirSync(join(app, ".claude"));
        symlinkSync("../../outside/new.json", join(app, ".claude", SETTINGS));
      },
    ],
  ])("to %s: writes nothing, and gives one clear error", (_, link) => {
    link();
    const before = readdirSync(join(home, "outside"));
    for (const act of ["install", "uninstall"]) {
      const { status, stderr } = guard(act, "--yes");
      expect(stderr).toMatch(/settings\.local\.json is not used\n {2}why: .* leads out of the repository\n {2}do: {2}.*$/m);
      expect(status).toBe(1);
    }
    expect(guard("status", "--json")).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/"unreadable",\s*"why": ".*leads out of the repository"/),
    });
    expect(readdirSync(join(home, "outside"))).toEqual(before);
    for (const name of before) expect(readFileSync(join(home, "outside", name), "utf8")).toBe("{}");
  });

  test("to a folder of the repository: follows it", () => {
    mkdirSync(join(app, "agents"));
    symlinkSync("agents", join(app, ".claude"));
    expect(guard("install", "--yes").status).toBe(0);
    expect(existsSync(join(app, "agents", SETTINGS))).toBe(true);
  });

  test("works where the repository itself is below a link", () => {
    symlinkSync(app, join(home, "linked"));
    app = join(home, "linked");
    expect(guard("install", "--yes").status).toBe(0);
    expect(guard("status").status).toBe(0);
  });
});

describe("loopdash guard status --project", () => {
  test("does not wait for what a repository put in the place of its settings", () => {
    mkdirSync(join(app, ".claude"));
    symlinkSync("/dev/zero", join(app, ".claude", SETTINGS));
    expect(guard("status", "--json")).toMatchObject({ status: 1, stdout: expect.stringContaining('"unreadable"') });
  });

  test("does not wait for a file of settings that a repository's hook names", { timeout: 60_000 }, () => {
    writeFileSync(join(home, "guard.json"), "{}");
    expect(guard("install", "--yes", "--settings", join(home, "guard.json")).status).toBe(0);
    const file = join(app, ".claude", SETTINGS);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(join(home, "guard.json"), "/dev/zero"));
    expect(guard("status", "--json")).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/"dead",\s*"why": ".*no plain file/),
    });
  });
});

test("guard uninstall leaves no file behind where there was none, however often it was installed", { timeout: 60_000 }, () => {
  for (let n = 0; n < 3; n++) {
    expect(guard("install", "--yes").status).toBe(0);
    expect(guard("uninstall", "--yes").status).toBe(0);
    expect([n, existsSync(join(app, ".claude", SETTINGS))]).toEqual([n, false]);
  }
});
