import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkRepositories } from "../../../src/cli/doctor/batch.ts";
import { loadBatch } from "../../../src/cli/engine/load-batch.ts";
import { preflight } from "../../../src/cli/engine/preflight.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { refusal } from "../support.ts";

const folder = scratchFolder();

/** A batch file over this repository, and what a start and the doctor say of it. */
async function refused(repo: string) {
  const root = folder();
  mkdirSync(join(root, "plain"));
  execFileSync("git", ["init", "-q", "-b", "main", join(root, "app")]);
  const file = join(root, "batch.json");
  const lines = [
    "{",
    '  "name": "test",',
    `  "repos": {"app": ${repo}},`,
    '  "agent": {"kind": "command", "command": ["true"]}, "sandbox": "off", "finish": [{"step": "merge"}],',
    '  "tickets": [{"id": "T-1", "title": "one"}]',
    "}",
  ];
  writeFileSync(file, lines.join("\n"));
  const loaded = await loadBatch(file, { cwd: root });
  const env = { PATH: process.env["PATH"], HOME: root };
  const { what, why, exitCode } = await refusal(preflight(loaded, { env, cwd: root, secrets: undefined }));
  expect([what, exitCode]).toEqual(['repository "app" cannot be used', 4]);
  const doctor = (await checkRepositories(loaded, env)).map(({ found }) => found);
  expect(doctor).toEqual([expect.stringContaining(`${what}: ${why}`)]);
  return why.replaceAll(`${root}/`, "");
}

describe("a repository that cannot be used is told with its place in the batch file", () => {
  test.each([
    ["a folder that is not there", '{"path": "gone"}', "batch.json:3:29  repos.app.path: gone does not exist"],
    ["a file", '{"path": "batch.json"}', "batch.json:3:29  repos.app.path: batch.json is not a folder"],
    ["no repository", '{"path": "plain"}', "batch.json:3:29  repos.app.path: plain is not a git repository"],
    ["a folder in one", '{"path": "app/.git/refs"}', /^batch\.json:3:29 {2}repos\.app\.path: /],
    ["no such base", '{"path": "app", "base": "x"}', 'batch.json:3:44  repos.app.base: it has no local branch "x"'],
    ["no such base by default", '{"path": "app"}', 'batch.json:3:20  repos.app.base: it has no local branch "main"'],
  ])("%s", async (_, repo, why) => {
    expect(await refused(repo)).toMatch(why);
  });
});
