import type { Defence } from "../suite.ts";

const COMPARE = "src/domain/evidence/compare.ts";
const CHECK = "src/loop/steps/check-step.ts";
const STATIC = "src/loop/steps/static-findings.ts";
const COMMAND = "src/loop/programs/run-on-commit.ts";
const PREPARE = "src/loop/programs/prepare.ts";
const GATES = "src/loop/steps/gates.ts";
const PROTECTED = "src/loop/programs/protected-files.ts";
const DEVIATIONS = "src/domain/test-canary/deviations.ts";
const PLANT = "src/loop/steps/plant-canary.ts";
const CANARY = "src/loop/steps/test-canary.ts";
const REPORT_FILE = "src/adapters/test-results/results-file.ts";

/** No report is cleared away before, and none is too old. */
const ANY_AGE = [
  { file: REPORT_FILE, from: "await rm(join(folder, path), { recursive: true, force: true });", to: "" },
  { file: REPORT_FILE, from: "if (found.mtimeNs < since || found.ctimeNs < since)", to: "if (false)" },
];

/** A command writes to the checkout itself, and its report is looked for there. */
const NO_LAYERS = { file: "src/loop/programs/sealed-checkout.ts", from: "if (!ctx.layers) {", to: "if (true) {" };

/** What planted tests say does not count. */
const WITHOUT_CANARY = { file: CANARY, from: "if (bad.length === 0 || !counts)", to: "if (bad !== undefined)" };

/** The tests of the base are not run without what the change does to tests. */
const WITHOUT_RECHECK = { file: CANARY, from: "return (await this.#recheckAll()) ?? outcome;", to: "return outcome;" };

/** What each attack of this family meets. Design P2: what judges is the base's; P3: each test is held against the base's own. */
export const DEFENCES = {
  removed: {
    name: "a test of the base that is not there fails the check",
    holes: [
      WITHOUT_CANARY,
      { file: COMPARE, from: "if (removed.length > 0)", to: "if (false)" },
      { file: COMPARE, from: "if (ran(all) < expected)", to: "if (false)" },
    ],
  },
  skipped: {
    name: "a test that is newly skipped fails the check, and no second test by its name stands in for it",
    holes: [
      WITHOUT_CANARY,
      { file: COMPARE, from: "if (skipped.length > 0)", to: "if (false)" },
      { file: COMPARE, from: "if (ran(all) < expected)", to: "if (false)" },
      { file: COMPARE, from: "if (duplicated.length > 0)", to: "if (false)" },
      { file: COMPARE, from: " || moreSkipped)", to: ")" },
    ],
  },
  failing: {
    name: "a test that fails, and not on the base, fails the check, whatever the exit code says",
    holes: [
      { file: COMPARE, from: "if (tally.failed > (old?.failed ?? 0))", to: "if (false)" },
      { file: COMPARE, from: "if (exit !== undefined)", to: "if (false)" },
    ],
  },
  fixes: {
    name: "a test that the ticket names in fixes must be there, run and pass, whatever it did on the base and whatever is allowed",
    holes: [{ file: COMPARE, from: "[...fixFindings(before, now, { ...fixes, loads })]", to: "[]" }],
  },
  again: {
    name: "a check that failed is not run again on the same candidate, and a test that passed at the second try failed",
    holes: [
      {
        file: CHECK,
        from: "const tests = outcome.findings.flatMap(({ ids }) => ids).toSorted();",
        to: "return runCheckStep(ctx, scope, repo, step, candidate);\n  const tests: string[] = [];",
      },
      { file: "src/adapters/test-results/junit.ts", from: ', "flakyFailure", "flakyError"].some(', to: "].some(" },
    ],
  },
  ownFolder: {
    name: "nothing of an agent outlives it or reaches the folder of a judgement, whose name nobody can know, and what lies there is cleared away",
    holes: [
      ...ANY_AGE,
      NO_LAYERS,
      {
        file: COMMAND,
        from: "const folders = checkFolders(room);",
        to: "const folders = { ...checkFolders(room), artifacts: room.replace(/\\d+-\\d+$/, log + '-artifacts') };",
      },
      {
        file: "src/loop/programs/confine.ts",
        from: "if (!ctx.confined) return undefined;\n  const { write, read, mounts } = await repo.agentView({",
        to: "if (ctx !== undefined) return undefined;\n  const { write, read, mounts } = await repo.agentView({",
      },
      {
        file: "src/adapters/executor/process-executor.ts",
        from: "const swept = await sweep(prey, workshop.read);",
        to: "const swept = { killed: 0, survivors: [] };",
      },
    ],
  },
  believed: {
    name: "a report that is cut off, or lay there before the command started, is not believed",
    holes: [
      ...ANY_AGE,
      NO_LAYERS,
      { file: "src/adapters/test-results/junit.ts", from: "if (valid !== true)", to: "if (false)" },
      { file: "src/adapters/test-results/tap.ts", from: "if (first !== undefined)", to: "if (false)" },
    ],
  },
  protect: {
    name: "a change that touches a protected path or a submodule does not land",
    holes: [
      { file: PROTECTED, from: "return (path) => matchers.some((matches) => matches(path));", to: "return () => false;" },
      { file: GATES, from: "if (submodules.length > 0)", to: "if (false)" },
    ],
  },
  protectedScripts: {
    name: "the script that a check runs is the base's: its file is protected, and another text of it is a finding",
    holes: [
      { file: PROTECTED, from: "return (path) => matchers.some((matches) => matches(path));", to: "return () => false;" },
      { file: STATIC, from: "if (allow.scripts === true || runs.length === 0) return [];", to: "if (true) return [];" },
      { file: CHECK, from: "if (overwritten.length === 0) return [];", to: "return [];" },
    ],
  },
  spelling: {
    name: "a path is protected in every spelling that some file system takes for it, and behind every link",
    holes: [
      {
        file: PROTECTED,
        from: "const fold = (text: string): string => caseless(text)",
        to: "void caseless; const fold = (text: string) => text",
      },
      { file: GATES, from: '|| (mode === "symlink" && how !== "deleted" && isOnTheWay(path))', to: "" },
      { file: PROTECTED, from: '.replace(/[\\n\\r\\u2028\\u2029]/g, "_");', to: ";" },
    ],
  },
  suppressions: {
    name: "a change that tells a tool to look away does not pass a check",
    holes: [{ file: STATIC, from: "if (count === 0) return [];", to: "return [];" }],
  },
  pristine: {
    name: "a change is judged in a fresh checkout of what was committed, and neither prepared nor run by programs that it brought",
    holes: [
      {
        file: COMMAND,
        from: "await repo.checkout({ commit, path: folders.checkout, attributesOf });",
        to: `await repo.checkout({ commit, path: folders.checkout, attributesOf });
          (await import("node:fs")).cpSync(ctx.files.worktreePath(scope.ticket.id, scope.n), folders.checkout,
            { recursive: true, filter: (from) => !from.endsWith("/.git") });`,
      },
      { file: PREPARE, from: "if (changed.length > 0)", to: "if (changed.length < 0)" },
      { file: PREPARE, from: "if (touched.length === 0) return undefined;", to: "if (touched.length >= 0) return undefined;" },
      {
        file: "src/adapters/sandbox/find-program.ts",
        from: 'path.split(":").filter((folder) => isAbsolute(folder));',
        to: 'path.split(":").map((folder) => resolve(cwd, folder));',
      },
      { file: "src/adapters/executor/environment.ts", from: ".filter((entry) => isAbsolute(entry));", to: ";" },
      {
        file: "src/cli/engine/safe-path.ts",
        from: "if (!isAbsolute(entry)) return false;",
        to: "if (!isAbsolute(entry)) return true;",
      },
    ],
  },
  drivers: {
    name: "no filter, no hook and no program that a repository brings is run by the engine",
    holes: [
      { file: "src/adapters/vcs/landing/pristine.ts", from: "objectId(options.attributesOf ?? commit)", to: "commit" },
      {
        file: "src/adapters/vcs/landing/pristine.ts",
        from: "config: AS_STORED,",
        to: 'config: [...AS_STORED, ["include.path", join(store.at.commonDir, "config")]],',
      },
      {
        file: "src/adapters/vcs/git/run-git.ts",
        from: "allowUnsafeConfigEnvCount: true,",
        to: "allowUnsafeConfigEnvCount: true, allowUnsafeInclude: true, allowUnsafeFilter: true,",
      },
      { file: "src/adapters/vcs/git/git-call.ts", from: '["core.hooksPath", "/dev/null"],', to: "" },
      { file: "src/cli/engine/start-engine.ts", from: "sanitizePath(options.env, repos);", to: "void repos;" },
      { file: "src/cli/engine/start-engine.ts", from: "sanitizePath(options.env, loaded.batch.repos);", to: "" },
    ],
  },
  merged: {
    name: "what is judged is the change merged with the base as it is now",
    holes: [
      {
        file: "src/loop/attempt/candidate-checks.ts",
        from: "const result = await runCheckStep(this.#ctx, scope, this.#repo, step, candidate);",
        to: "const result = await runCheckStep(this.#ctx, scope, this.#repo, step, { ...candidate, commit: this.#change.tip });",
      },
    ],
  },
  canary: {
    name: "a test of a random name that must fail is planted in the candidate, and one that must pass",
    holes: [WITHOUT_CANARY],
  },
  canaryOrSettings: {
    name: "what an option of the command names is the base's, and planted tests come out as they must",
    holes: [WITHOUT_CANARY, WITHOUT_RECHECK],
  },
  canaryOfKnownName: {
    name: "one of the planted tests that must fail has the name of a test that is there",
    holes: [
      {
        file: "src/domain/test-canary/js-tests.ts",
        from: 'sowing.fails === "many" ? knownTest(file.text, style, sowing.draw) : undefined',
        to: "sowing === undefined ? knownTest(file.text, style, sowing) : undefined",
      },
    ],
  },
  canaryOfEach: {
    name: "each runner of a command is tried",
    holes: [{ file: CANARY, from: "const MOST_RUNNERS = 3;", to: "const MOST_RUNNERS = 1;" }],
  },
  canaryAlone: {
    name: "tests of the base pass without the tests that the change adds",
    holes: [WITHOUT_RECHECK],
  },
  canaryWithoutEdits: {
    name: "tests of files that the change does not touch pass without the test files that it edits",
    holes: [
      {
        file: "src/loop/steps/recheck-base-tests.ts",
        from: "if (dropped.edited.length === 0) return undefined;",
        to: "if (dropped.edited.length >= 0) return undefined;",
      },
    ],
  },
  canaryOfEarlier: {
    name: "tests of the run's first base pass without what all tickets of the run did to tests and to how they are run",
    holes: [
      {
        file: CANARY,
        from: "const origin = firstOrigin(this.#check);",
        to: "const origin = firstOrigin(this.#check) && undefined;",
      },
    ],
  },
  canaryTwoOfThree: {
    name: "a test of the base that fails in one run of two is run a third time, and it need not be the same test",
    holes: [{ file: "src/loop/steps/planted-runs.ts", from: "n - failed === 2", to: "n - failed === 1" }],
  },
  canaryOfUnloaded: {
    name: "what is absent on a base that could not load the file excuses nothing, and that a failing test passes is excused by the same alone",
    holes: [
      {
        file: DEVIATIONS,
        from: "if (!tried.has(key)) return",
        to: "if (onBase.length === 0) return false;\n    if (!tried.has(key)) return",
      },
      { file: DEVIATIONS, from: 'got !== "absent" || !unloaded.has(key)', to: "got.length > 0" },
      { file: DEVIATIONS, from: 'const isSame = got === "passed" || got === "exit-0";', to: "const isSame = false;" },
      {
        file: DEVIATIONS,
        from: "if (!tried.has(key)) return",
        to: "if (base.tests?.some(({ id }) => id.startsWith('pytest'))) return false;\n    if (!tried.has(key)) return",
      },
    ],
  },
  fixedByTests: {
    name: "a file that could not be loaded is fixed by its tests, not by none",
    holes: [
      { file: "src/domain/evidence/fixes.ts", from: '? "empty" : undefined', to: "? undefined : undefined" },
      WITHOUT_CANARY,
    ],
  },
  canaryByChance: {
    name: "planted tests stand in files that load what was changed, and in any of the others",
    holes: [
      { file: PLANT, from: "a.rank - b.rank || a.chance - b.chance", to: "0 * (a.chance - b.chance)" },
      { file: PLANT, from: "const MAX_HOSTS = 40;", to: "const MAX_HOSTS = 12;" },
    ],
  },
  canaryNames: {
    name: "planted tests are named as their neighbours are, and the twin of a known one may come first",
    holes: [
      {
        file: "src/domain/proof/twins/random-words.ts",
        from: "return Array.from({ length }, (_, i) =>",
        to: 'if (titles.length >= 0) return ["keeps", "plain", "rows", oneOf(draw, ENDS), String(10000 + draw(90000))];\n  return Array.from({ length }, (_, i) =>',
      },
      { file: "src/domain/test-canary/js-tests.ts", from: "if (draw(2) === 0) {", to: "if (draw(2) === 2) {" },
    ],
  },
  canaryMovesLines: {
    name: "tests of the base pass beside planted ones, which move them",
    holes: [{ file: DEVIATIONS, from: "if (failed === 0 ||", to: "if (failed >= 0 ||" }],
  },
  canaryByCommit: {
    name: "the checkout with planted tests is made of a commit as any other",
    holes: [
      { file: CANARY, from: "if (places === undefined) return undefined;", to: "if (places !== null) return undefined;" },
      { file: DEVIATIONS, from: "if (failed === 0 ||", to: "if (failed >= 0 ||" },
    ],
  },
  canaryInHistory: {
    name: "what is planted is committed as the candidate is, and its checkout made as any other",
    holes: [
      { file: CANARY, from: "if (places === undefined) return undefined;", to: "if (places !== null) return undefined;" },
      { file: CANARY, from: "await track(this.#check, checkout, planted);", to: "void planted;" },
      { file: DEVIATIONS, from: "if (failed === 0 ||", to: "if (failed >= 0 ||" },
    ],
  },
} as const satisfies Record<string, Defence>;
