import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunState } from "../../../src/domain/run/state.ts";
import { baseResults, freshBaseResults, resultsKey } from "../../../src/loop/steps/base-results.ts";
import { Manifests } from "../../../src/loop/steps/manifests.ts";
import { cleanUp, tempDir } from "../../adapters/vcs/real-repo.ts";
import { memoryCheckResults, noResults } from "../memory-check-results.ts";
import { selecting, testFile } from "./selected-stage.ts";

cleanUp();

/** A base with one test, and results of it that an earlier run has kept. */
async function withEarlier(outcome: "passed" | "failed") {
  const log = join(tempDir(), "log");
  writeFileSync(log, "");
  const on = await selecting({ "test/one.test.mjs": testFile(log, { a: "" }) });
  const shared = noResults();
  const ctx = { ...on.ctx, manifests: new Manifests(memoryCheckResults(shared), on.ctx.clock) };
  const checked = { step: on.step, commit: on.base };
  const { key } = await resultsKey(ctx, on.scope, on.repo, checked)();
  shared.results.set(key, { exitCode: 0, durationMs: 7, at: 1, isBase: true, tests: [{ id: "a", outcome }] });
  const runs = () => readFileSync(log, "utf8").trim();
  return { ...on, ctx, checked, key, runs };
}

test("the results of an earlier run are good enough until a candidate is worse than they are", async () => {
  const { stage, ctx, scope, repo, checked, runs } = await withEarlier("passed");
  using _ = stage;
  expect(await baseResults(ctx, scope, repo, checked)).toMatchObject({ as: "tests", isEarlier: true, run: { durationMs: 7 } });
  expect(runs()).toBe("");
  const fresh = await freshBaseResults(ctx, scope, repo, checked);
  expect(fresh).toMatchObject({ as: "tests", run: { tests: [{ id: "a", outcome: "passed" }] } });
  expect(fresh).not.toHaveProperty("isEarlier", expect.anything());
  await freshBaseResults(ctx, scope, repo, checked);
  expect(runs()).toBe("a");
  const key = resultsKey(ctx, scope, repo, checked);
  expect(await ctx.manifests.expectedMs(key)).toBeGreaterThan(0);
  expect(await ctx.manifests.flakyTests(key)).toEqual(new Set());
});

test("a base that is measured anew shows which of its tests are flaky", async () => {
  const { stage, ctx, scope, repo, checked } = await withEarlier("failed");
  using _ = stage;
  await freshBaseResults(ctx, scope, repo, checked);
  expect(await ctx.manifests.flakyTests(resultsKey(ctx, scope, repo, checked))).toEqual(new Set(["a"]));
});

test("a base is nobody's but the repository's own: not a candidate on which another is built, nor what this run has landed", async () => {
  const { stage, ctx, scope, repo, checked, base, candidate } = await withEarlier("passed");
  using _ = stage;
  const isUntouched = async (commit: string, state = ctx.state()) =>
    (await resultsKey({ ...ctx, state: () => state }, scope, repo, { step: checked.step, commit })()).isUntouched();
  const { commit } = candidate({ "other.txt": "x" });
  expect([await isUntouched(base), await isUntouched(commit)]).toEqual([true, false]);
  stage.git("reset", "-q", "--hard", commit);
  const landed = { initial: base, first: base, last: commit, trusted: [], commits: [] };
  const state = { ...ctx.state(), landings: { app: landed } } as unknown as RunState;
  expect([await isUntouched(base, state), await isUntouched(commit, state)]).toEqual([true, false]);
});

test("the key is that of the tree, the command and the environment, not of the commit", async () => {
  const { stage, ctx, scope, repo, checked, key, candidate } = await withEarlier("passed");
  using _ = stage;
  const keyOf = async (over: Partial<typeof ctx> = {}, step = checked.step, commit = checked.commit, of = scope) =>
    (
      await resultsKey({ ...ctx, manifests: new Manifests(memoryCheckResults(), ctx.clock), ...over }, of, repo, {
        step,
        commit,
      })()
    ).key;
  stage.git("commit", "-q", "--allow-empty", "-m", "the same tree");
  const same = stage.git("rev-parse", "HEAD");
  expect(await keyOf({}, checked.step, same)).toBe(key);
  expect(await keyOf({}, { ...checked.step, minutes: 7 } as typeof checked.step)).toBe(key);
  const { command } = checked.step;
  const others = await Promise.all([
    keyOf({}, checked.step, candidate({ "other.txt": "x" }).commit),
    keyOf({}, { ...checked.step, command: [...command, "--test-force-exit"] } as unknown as typeof checked.step),
    keyOf({ commandEnv: { ...ctx.commandEnv, PATH: "/usr/bin" } }),
    keyOf({ toolchainPaths: new Map([["app", "/opt/node/bin"]]) }),
    keyOf({ confined: true }),
    keyOf({
      batch: { ...ctx.batch, repos: { app: { ...ctx.batch.repos["app"], path: "x", base: "main", prepare: [["true"]] } } },
    }),
    // Attributes of another commit may decide how its files are checked out.
    keyOf({}, checked.step, same, { ...scope, ticket: { ...scope.ticket, allow: { ...NOTHING, attributes: true } } }),
  ]);
  expect(new Set([key, ...others]).size).toBe(8);
});

const NOTHING = { testsRemoved: [], testsSkipped: [], suppressions: false };
