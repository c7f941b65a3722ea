import type { Hole } from "../holed-build.ts";
import type { Defence } from "../suite.ts";

const COMPARE = "src/domain/evidence/compare.ts";
const CHECK = "src/loop/steps/check-step.ts";
const CHECK_RUN = "src/loop/steps/compare-tests.ts";
const STATIC = "src/loop/steps/compare-tests.ts";
const COMMAND = "src/loop/programs/run-on-commit.ts";
const PREPARE = "src/loop/programs/prepare.ts";
const GATES = "src/loop/steps/gates.ts";
const PROTECTED = "src/loop/programs/protected-files.ts";
const PROOF = "src/loop/steps/proof.ts";
const ALONE = "src/loop/steps/prove-alone.ts";
const PLANT = "src/loop/steps/judges-tree.ts";
const TWINS = "src/domain/proof/twins/twins-for.ts";
const SORT = "src/domain/proof/code-under-test.ts";
const REPORT_FILE = "src/adapters/test-results/results-file.ts";

/** No report is cleared away before, and none is too old. */
const ANY_AGE = [
  { file: REPORT_FILE, from: "await rm(join(folder, path), { recursive: true, force: true });", to: "" },
  { file: REPORT_FILE, from: "if (found.mtimeNs < since || found.ctimeNs < since)", to: "if (false)" },
];

/** A command writes to the checkout itself, and its report is looked for there. */
const NO_LAYERS = { file: "src/loop/programs/sealed-checkout.ts", from: "if (!ctx.layers) {", to: "if (true) {" };

/** No candidate is proven: what its own run says, compared with the base, lands. */
export const WITHOUT_DEEP_PROOF: Hole = {
  file: ALONE,
  from: "if (!isRequired && begun === undefined) return NOT_PROVEN;",
  to: "if (isRequired || !isRequired) return NOT_PROVEN;",
};

/** No twin of a passing test is planted. */
export const WITHOUT_TWINS: Hole = {
  file: PLANT,
  from: "if (twinned.length >= (isOne ? 1 : MOST_FILES)) break;",
  to: "if (twinned.length >= 0) break;",
};

/** Whatever a change touches counts as code under test, so that the judge's tree is the candidate's own. */
export const WITHOUT_JUDGES_TREE: Hole = {
  file: SORT,
  from: "for (const file of changed) sorted[kinds.kindOf(file)].push(file.path);",
  to: "sorted.code.push(...changed.map(({ path }) => path));",
};

/** What the check runs may be changed. */
export const WITHOUT_DEFINITION: Hole = {
  file: ALONE,
  from: "if (changed.length === 0) return undefined;",
  to: "if (changed.length >= 0) return undefined;",
};

/** A checkout of a proof is another one than that of a check: git sees a file in it, and its store has a folder of its own. */
const TOLD_APART: Hole = {
  file: COMMAND,
  from: "await repo.checkout({ commit, path: folders.checkout, attributesOf });",
  to: `await repo.checkout({ commit, path: folders.checkout, attributesOf });
    if (command.purpose === "proof") {
      const fs = await import("node:fs");
      fs.writeFileSync(folders.checkout + "/planted.txt", "");
      fs.mkdirSync(folders.checkout + "/.git/objects/ab", { recursive: true });
    }`,
};

/** What each attack of this family meets. Design P2: what judges is the base's; P3: each test is held against the base's own. */
export const DEFENCES = {
  removed: {
    name: "a test of the base that is not there fails the check",
    holes: [
      WITHOUT_DEEP_PROOF,
      { file: COMPARE, from: "if (removed.length > 0)", to: "if (false)" },
      { file: COMPARE, from: "if (ran(all) < expected)", to: "if (false)" },
    ],
  },
  skipped: {
    name: "a test that is newly skipped fails the check, and no second test by its name stands in for it",
    holes: [
      WITHOUT_DEEP_PROOF,
      { file: COMPARE, from: "if (skipped.length > 0)", to: "if (false)" },
      { file: COMPARE, from: "if (ran(all) < expected)", to: "if (false)" },
      { file: COMPARE, from: "if (duplicated.length > 0)", to: "if (false)" },
      { file: COMPARE, from: " || moreSkipped)", to: ")" },
    ],
  },
  failing: {
    name: "a test that fails, and not on the base, fails the check, whatever the exit code says",
    holes: [
      WITHOUT_DEEP_PROOF,
      { file: COMPARE, from: "if (tally.failed > (old?.failed ?? 0))", to: "if (false)" },
      { file: COMPARE, from: "if (exit !== undefined)", to: "if (false)" },
    ],
  },
  fixes: {
    name: "a test that the ticket names in fixes must be there, run and pass, whatever it did on the base and whatever is allowed",
    holes: [WITHOUT_DEEP_PROOF, { file: COMPARE, from: "[...fixFindings(before, now, { ...fixes, loads })]", to: "[]" }],
  },
  again: {
    name: "a check that failed is not run again on the same candidate, and a test that passed at the second try failed",
    holes: [
      WITHOUT_DEEP_PROOF,
      {
        file: CHECK,
        from: "const tests = outcome.findings.flatMap(({ ids }) => ids).toSorted();",
        to: "const { ctx, scope, repo, step, candidate } = check;\n  return runCheckStep(ctx, scope, repo, step, candidate);\n  const tests: string[] = [];",
      },
      { file: "src/adapters/test-results/junit.ts", from: ', "flakyFailure", "flakyError"].some(', to: "].some(" },
    ],
  },
  ownFolder: {
    name: "nothing of an agent outlives it or reaches the folder of a judgement, whose name nobody can know, and what lies there is cleared away",
    holes: [
      WITHOUT_DEEP_PROOF,
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
      WITHOUT_DEEP_PROOF,
      ...ANY_AGE,
      NO_LAYERS,
      { file: "src/adapters/test-results/junit.ts", from: "if (valid !== true)", to: "if (false)" },
      { file: "src/adapters/test-results/tap.ts", from: "if (first !== undefined)", to: "if (false)" },
    ],
  },
  protect: {
    name: "a change that touches a protected path or a submodule does not land",
    holes: [
      WITHOUT_DEEP_PROOF,
      { file: PROTECTED, from: "return (path) => matchers.some((matches) => matches(path));", to: "return () => false;" },
      { file: GATES, from: "if (submodules.length > 0)", to: "if (false)" },
    ],
  },
  protectedScripts: {
    name: "the script that a check runs is the base's: its file is protected, and another text of it is a finding",
    holes: [
      { file: PROTECTED, from: "return (path) => matchers.some((matches) => matches(path));", to: "return () => false;" },
      WITHOUT_DEEP_PROOF,
      { file: CHECK_RUN, from: "if (overwritten.length === 0) return [];", to: "return [];" },
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
      { file: GATES, from: '|| ((mode === "symlink" || moved !== undefined) && how !== "deleted" && isOnTheWay(path))', to: "" },
      { file: PROTECTED, from: '.replace(/[\\n\\r\\u2028\\u2029]/g, "_");', to: ";" },
    ],
  },
  suppressions: {
    name: "a change that tells a tool to look away does not pass a check",
    holes: [WITHOUT_DEEP_PROOF, { file: STATIC, from: "if (count === 0) return [];", to: "return [];" }],
  },
  pristine: {
    name: "a change is judged in a fresh checkout of what was committed, and neither prepared nor run by programs that it brought",
    holes: [
      WITHOUT_DEEP_PROOF,
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
        file: "src/cli/safe-path.ts",
        from: "if (!isAbsolute(entry)) return [];",
        to: "if (!isAbsolute(entry)) return [entry];",
      },
    ],
  },
  drivers: {
    name: "no filter, no hook and no program that a repository brings is run by the engine",
    holes: [
      WITHOUT_DEEP_PROOF,
      { file: "src/adapters/vcs/landing/pristine.ts", from: "objectId(options.attributesOf ?? commit)", to: "commit" },
      {
        file: "src/adapters/vcs/repository/user-checkout.ts",
        from: "namesFileIn(userCheckout, program)",
        to: "program === undefined",
      },
      {
        file: "src/adapters/vcs/landing/pristine.ts",
        from: "config: AS_STORED,",
        to: 'config: [...AS_STORED, ["include.path", join(store.at.commonDir, "config")]],',
      },
      {
        file: "src/adapters/vcs/git/run-git.ts",
        from: "allowUnsafeConfigEnvCount: true,",
        to: "allowUnsafeConfigEnvCount: true, allowUnsafeInclude: true,",
      },
      { file: "src/adapters/vcs/git/git-call.ts", from: '["core.hooksPath", "/dev/null"],', to: "" },
      { file: "src/cli/run-cli.ts", from: "closePath(process.env, clonesHere());", to: "void [closePath, clonesHere];" },
      { file: "src/cli/engine/load-batch.ts", from: "closePath(env, repoPaths(text, folder));", to: "void repoPaths;" },
    ],
  },
  merged: {
    name: "what is judged is the change merged with the base as it is now",
    holes: [
      WITHOUT_DEEP_PROOF,
      {
        file: "src/loop/attempt/candidate-checks.ts",
        from: "return checkCandidate(this.#ctx, scope, this.#repo, { index, step: spec, candidate, proof });",
        to: "return checkCandidate(this.#ctx, scope, this.#repo, { index, step: spec, proof, candidate: { ...candidate, commit: this.#change.tip } });",
      },
    ],
  },
  canary: {
    name: "twins of passing tests are planted in the candidate, and must fail",
    holes: [WITHOUT_TWINS],
  },
  canaryOrSettings: {
    name: "what the command names and what its runner finds is the base's, and planted tests come out as they must",
    holes: [WITHOUT_TWINS, WITHOUT_JUDGES_TREE, WITHOUT_DEFINITION],
  },
  canaryOfEach: {
    name: "each runner of a command gets twins",
    holes: [{ file: PROOF, from: "const MOST_RUNNERS = 3;", to: "const MOST_RUNNERS = 1;" }],
  },
  canaryAlone: {
    name: "in the judge's tree, only code under test is the candidate's",
    holes: [WITHOUT_JUDGES_TREE, WITHOUT_DEFINITION],
  },
  canaryOfEarlier: {
    name: "the judge's tree stands on the run's first base, without what its tickets did to tests and to how they are run",
    holes: [
      {
        file: ALONE,
        from: "const origin = originBelow(ctx, repo, candidate);",
        to: "const origin = (originBelow !== undefined && own) || own;",
      },
    ],
  },
  canaryTwoOfThree: {
    name: "a test of the base that fails in one run of two is run a third time, and it need not be the same test",
    holes: [{ file: PROOF, from: "n - failed === 2", to: "n - failed === 1" }],
  },
  canaryOfUnloaded: {
    name: "tests of a file that the base could not load get twins too",
    holes: [WITHOUT_TWINS],
  },
  fixedByTests: {
    name: "a file that could not be loaded is fixed by its tests, not by none",
    holes: [
      { file: "src/domain/evidence/fixes.ts", from: '? "empty" : undefined', to: "? undefined : undefined" },
      WITHOUT_DEEP_PROOF,
    ],
  },
  canaryByChance: {
    name: "twins stand in files that load what was changed, and in any of the others",
    holes: [
      { file: PLANT, from: "rank(a) - rank(b)", to: "a.localeCompare(b)" },
      { file: PLANT, from: "const MOST_FILES = 40;", to: "const MOST_FILES = 12;" },
    ],
  },
  canaryNames: {
    name: "twins are named as their neighbours are, and the one that must fail may bear the name of the original",
    holes: [
      {
        file: "src/domain/proof/twins/random-words.ts",
        from: "return Array.from({ length }, (_, i) =>",
        to: 'if (titles.length >= 0) return ["keeps", "plain", "rows", oneOf(draw, ENDS) ?? "", String(10000 + draw(90000))];\n  return Array.from({ length }, (_, i) =>',
      },
      { file: TWINS, from: "const [fails, passes] = draw(2) === 0 ?", to: "const [fails, passes] = draw(1) === 0 ?" },
    ],
  },
  canaryAsAny: {
    name: "the checkout of a proof is made of a commit, as any other, and nothing tells it from that of a check",
    holes: [TOLD_APART],
  },
} as const satisfies Record<string, Defence>;
