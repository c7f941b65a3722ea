import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "./scratch-tree.ts";

const MINUTES = 60_000;

let folder: string;
/** A person's machine: a home of its own, the Node that runs this test, git, and no network (`npm --offline`). */
let env: Record<string, string>;
let packed: readonly string[];

function run(cwd: string, program: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8", timeout: 2 * MINUTES });
  return { status, stdout, stderr };
}

function must(cwd: string, program: string, ...args: string[]): string {
  const { status, stdout, stderr } = run(cwd, program, ...args);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} exited with ${status}\n${stdout}${stderr}`);
  return stdout;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loopdash-package-"));
  const home = join(folder, "home");
  const user = join(folder, "user");
  mkdirSync(home);
  mkdirSync(user);
  env = {
    PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: home,
    LANG: "C.UTF-8",
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  };
  const [archive] = JSON.parse(must(ROOT, "npm", "pack", "--json", "--silent", "--pack-destination", folder)) as [
    { filename: string; files: { path: string }[] },
  ];
  packed = archive.files.map((file) => file.path);
  must(user, "npm", "install", "--no-audit", "--no-fund", join(folder, archive.filename));
}, 5 * MINUTES);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const user = (): string => join(folder, "user");

/** A repository with one commit, a program for an agent, and a batch of one ticket beside them. */
function project(): string {
  const path = join(user(), "project");
  mkdirSync(join(path, "repo"), { recursive: true });
  writeFileSync(join(path, "repo/README.md"), "# repo\n");
  const git = (...args: string[]) =>
    must(join(path, "repo"), "git", "-c", "user.name=A", "-c", "user.email=a@example.invalid", ...args);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "start");
  writeFileSync(
    join(path, "agent.mjs"),
    'import { writeFileSync } from "node:fs";\nconsole.log("writing");\nwriteFileSync("hello.txt", "hello\\n");\n',
  );
  const batch = {
    name: "one",
    repos: { repo: { path: "repo" } },
    agent: { kind: "command", command: ["node", "agent.mjs"] },
    sandbox: "off",
    finish: [{ step: "gates" }, { step: "check", command: ["grep", "hello", "hello.txt"] }, { step: "merge" }],
    tickets: [{ id: "T-1", title: "Say hello", repo: "repo" }],
  };
  writeFileSync(join(path, "batch.json"), JSON.stringify(batch));
  return path;
}

describe("the package", () => {
  it("holds what runs, and no sources or tests", () => {
    const allowed =
      /^(?:bin\/loopdash|package\.json|README\.md|LICENSE|CHANGELOG\.md|batch\.example\.json|prompts\/(?:[\w-]+\.md|transients\.json)|dist\/(?:reporters\/(?:(?:python|ruby|php)\/)?)?[\w.-]+)$/;
    expect(packed.filter((path) => !allowed.test(path))).toEqual([]);
    expect(packed).toEqual(
      expect.arrayContaining([
        "bin/loopdash",
        "dist/loopdash.js",
        "dist/oracle.cjs",
        "dist/guard.cjs",
        "dist/batch.schema.json",
        "dist/licenses.txt",
        "dist/reporters/preload.cjs",
        "dist/reporters/python/sitecustomize.py",
        "dist/reporters/ruby/rspec.rb",
        "dist/reporters/php/loopdash.ini",
        "dist/reporters/php/prepend.php",
        "prompts/worker.md",
      ]),
    );
  });

  it("brings nothing else along", () => {
    expect(readdirSync(join(user(), "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["loopdash"]);
  });

  it("says its version", () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(must(user(), "npx", "loopdash", "--version")).toBe(`${version}\n`);
  });

  it(
    "works a batch to its end",
    () => {
      const path = project();
      const { status, stdout, stderr } = run(path, "npx", "loopdash", "batch.json");
      expect({ status, output: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, output: "" });
      expect(readFileSync(join(path, "repo/hello.txt"), "utf8")).toBe("hello\n");
      expect(existsSync(join(env["HOME"] ?? "", ".local/state/loopdash/loopdash.db"))).toBe(true);
      const report = JSON.parse(must(path, "npx", "loopdash", "report", "--json"));
      expect(report).toMatchObject({ verdict: "done", exitCode: 0, tickets: [{ id: "T-1", state: "done", attempts: 1 }] });
    },
    2 * MINUTES,
  );

  describe("keeps what was compiled of it", () => {
    const kept = (): string => join(user(), "node_modules/loopdash/.cache");
    const runs = (): string => must(user(), "npx", "loopdash", "runs");
    const files = (): readonly string[] =>
      readdirSync(kept(), { recursive: true, encoding: "utf8" })
        .map((name) => join(kept(), name))
        .filter((path) => statSync(path).isFile());

    it("for its next start, in its own folder", () => {
      rmSync(kept(), { recursive: true, force: true });
      const said = runs();
      const stamps = () => files().map((path) => statSync(path).mtimeMs);
      const first = stamps();
      expect(first.length).toBeGreaterThan(5);
      // What is of use is not made again.
      expect([runs(), stamps()]).toEqual([said, first]);
    });

    it("and takes nothing of it that is not what it made", () => {
      const said = runs();
      for (const path of files()) writeFileSync(path, readFileSync(path).fill(0x41, 40));
      expect(runs()).toBe(said);
    });

    it("where it can be written, and starts without", () => {
      const said = runs();
      rmSync(kept(), { recursive: true, force: true });
      writeFileSync(kept(), "no folder\n");
      expect(runs()).toBe(said);
      expect(readFileSync(kept(), "utf8")).toBe("no folder\n");
      rmSync(kept());
    });
  });
});
