import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkRepositories } from "../../../src/cli/doctor/batch.ts";
import type { LoadedBatch } from "../../../src/cli/engine/load-batch.ts";
import { cleanUp, git, newRepo, tempDir } from "../../adapters/vcs/real-repo.ts";

cleanUp();

const MANIFEST = JSON.stringify({ dependencies: { "is-odd": "3.0.1" } });
const LOCKED = { "package.json": MANIFEST, "package-lock.json": "{}" };

async function warnings(files: Readonly<Record<string, string>>, prepare: readonly unknown[] = [{ command: ["npm", "ci"] }]) {
  const path = newRepo(tempDir());
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  git(path, "add", "-A", "-f");
  git(path, "commit", "-q", "--allow-empty", "-m", "files");
  const batch = { repos: { app: { path, base: "main", prepare } }, onBroken: "freeze" };
  const loaded = { batch, folder: path, outside: { secrets: undefined } } as unknown as LoadedBatch;
  const found = await checkRepositories(loaded, process.env);
  expect(found[0]).toMatchObject({ check: "repository", status: "ok" });
  return found.slice(1).map(({ status, found: what, fix }) => [status, what, fix]);
}

test("a repository whose prepare commands make a folder that git does not ignore is warned of", async () => {
  expect(await warnings(LOCKED)).toEqual([
    [
      "warn",
      "app: git does not ignore node_modules, which its prepare commands make: the files would count as part of each change",
      "Add node_modules to .gitignore, and commit that to the base.",
    ],
  ]);
  const venv = [{ command: ["python3", "-m", "venv", ".venv"] }];
  expect((await warnings({ "requirements.txt": "six\n" }, venv))[0]?.[1]).toContain("does not ignore .venv");
});

test.each([
  ["the base ignores it", { ...LOCKED, ".gitignore": "/node_modules/\n" }, undefined],
  ["nothing is prepared", LOCKED, []],
  [
    "the batch's own commands make a folder that is ignored, whatever the manifests suggest",
    { "requirements.txt": "six\n", ".gitignore": "env/\n" },
    [["python3", "-m", "venv", "env"], { command: ["env/bin/pip", "install", "-r", "requirements.txt"] }],
  ],
  ["nothing is installed", { "README.md": "# app\n" }, [["make", "ready"]]],
])("no repository is warned of if %s", async (_what, files, prepare) => {
  expect(await warnings(files, prepare)).toEqual([]);
});
