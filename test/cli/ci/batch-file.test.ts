import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { createLocks } from "../../../src/adapters/locks/sqlite-locks.ts";
import { batchFileFor } from "../../../src/cli/ci/batch-file.ts";
import { batchLock } from "../../../src/cli/engine/engine-locks.ts";
import { prepareStateHome, runFolder, stateHome } from "../../../src/cli/state-home.ts";
import { RunId } from "../../../src/domain/values/ids.ts";

const TARGET = { branch: "feature", repository: { name: "app", path: "/clone" } } as Parameters<typeof batchFileFor>[1];
const forge = { kind: "github-branch", repo: "acme/app" };
const BATCH = { name: "ci feature", repos: { app: { path: "/clone", base: "feature", forge } }, limits: { attempts: 3 } };

/** A state folder, and a run of a batch file there. */
function staged() {
  const root = mkdtempSync(join(tmpdir(), "loopdash-ci-batch-"));
  vi.stubEnv("LOOPDASH_HOME", root);
  const home = stateHome({ LOOPDASH_HOME: root }, "/");
  prepareStateHome(home);
  const store = openRunStore(home.db);
  onTestFinished(() => {
    store.close();
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true });
  });
  const begin = (batchPath: string, name: string) => {
    const run = RunId.parse(name);
    store.create({ run, name: "ci feature", batchPath, batchFileSha: "0".repeat(64), startedAt: 1 });
    mkdirSync(runFolder(home, run), { recursive: true });
    writeFileSync(join(runFolder(home, run), "engine.pid"), `${process.pid}\n`);
  };
  return { home, begin };
}

test("a new loop has a batch file of its own, in the folder of its clone and branch", () => {
  const { home } = staged();
  const first = batchFileFor(home, TARGET, BATCH);
  expect(JSON.parse(readFileSync(first.path, "utf8"))).toEqual(BATCH);
  const second = batchFileFor(home, TARGET, BATCH);
  expect([second.path, second.resumes]).toEqual([join(dirname(first.path), "0002.json"), undefined]);
  expect(dirname(batchFileFor(home, { ...TARGET, branch: "other" }, BATCH).path)).not.toBe(dirname(first.path));
});

test("no loop begins while one of an older batch file is at work on the branch", () => {
  const { home, begin } = staged();
  const { path: older } = batchFileFor(home, TARGET, BATCH);
  begin(older, "ci-feature-1");
  const { path: newer } = batchFileFor(home, TARGET, {
    ...BATCH,
    repos: { app: { ...BATCH.repos.app, forge: { ...forge, workflow: "x" } } },
  });
  expect(newer).not.toBe(older);
  const taken = createLocks(home.locks).take([batchLock(older)], { pid: process.pid, run: "ci feature", since: 1 });
  if (!taken.ok) throw new Error("the lock is held");
  expect(() => batchFileFor(home, TARGET, BATCH)).toThrow(
    expect.objectContaining({
      why: "a loop is at work on feature",
      todo: "Watch it: loopdash attach ci-feature-1",
      exitCode: 4,
    }),
  );
  // Another branch is none of its business.
  expect(batchFileFor(home, { ...TARGET, branch: "other" }, BATCH).resumes).toBeUndefined();
  for (const lock of taken.locks) lock[Symbol.dispose]();
  // Its engine was killed before the run's first event: there is nothing to go on with.
  expect(batchFileFor(home, TARGET, BATCH)).toMatchObject({ path: join(dirname(older), "0003.json") });
});
