import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type GitHelper, startGitHelper } from "../../../../src/adapters/vcs/git/git-helper.ts";

const folder = mkdtempSync(join(tmpdir(), "loopdash-helper-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A helper that is this script. */
function helper(name: string, script: string): GitHelper {
  const program = join(folder, `${name}.mjs`);
  writeFileSync(program, script);
  return startGitHelper({ program, args: [], env: { PATH: process.env["PATH"] ?? "" } });
}

const version = (git: GitHelper) => git.run(folder, { args: ["version"], gitDir: folder });

const ANSWERS = `process.on("message", ({ id }) => process.send({ id, result: { status: 0, stdout: "by the helper", stderr: "", stopped: false } }));`;

it("is not waited for: until it has started, git is run here", async () => {
  const git = helper("deaf", `process.on("message", () => {});`);
  expect((await version(git)).stdout).toMatch(/^git version /);
  await git.close();
});

it("is asked once it has started", async () => {
  const git = helper("ready", `${ANSWERS} process.send({ ready: true });`);
  await git.ready;
  expect((await version(git)).stdout).toBe("by the helper");
  await git.close();
});

it("that is gone is not waited for either, and git is run here", async () => {
  const git = helper("gone", "process.exit(1);");
  await git.ready;
  await git.close();
  expect((await version(git)).stdout).toMatch(/^git version /);
});
