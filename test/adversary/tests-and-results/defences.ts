import type { Hole } from "../holes/locate.ts";
import type { Defence } from "../suite.ts";

/** No report is cleared away before, and none is too old. */
const ANY_AGE = [
  { in: "removeOld", from: "await rm(join(folder, path), { recursive: true, force: true });", to: "" },
  { in: "readHeld", from: "if (found.mtimeNs < since || found.ctimeNs < since)", to: "if (false)" },
];

/** A command writes to the checkout itself, and its report is looked for there. */
const NO_LAYERS = { in: "sealCheckout", from: "if (!ctx.layers) {", to: "if (true) {" };

/** No candidate is proven: what its own run says, compared with the base, lands. */
export const WITHOUT_DEEP_PROOF: Hole = {
  in: "proveAlone",
  from: "if (!isRequired && begun === undefined) return NOT_PROVEN;",
  to: "if (isRequired || !isRequired) return NOT_PROVEN;",
};

/** No twin of a passing test is planted. */
export const WITHOUT_TWINS: Hole = {
  in: "plantTwins",
  from: "if (twinned.length >= (isOne ? 1 : MOST_FILES)) break;",
  to: "if (twinned.length >= 0) break;",
};

/** Whatever a change touches counts as code under test, so that the judge's tree is the candidate's own. */
export const WITHOUT_JUDGES_TREE: Hole = {
  in: "classifyChange",
  from: "for (const file of changed) sorted[kinds.classifyFile(file)].push(file.path);",
  to: "sorted.code.push(...changed.map(({ path }) => path));",
};

/** What the check runs may be changed. */
export const WITHOUT_DEFINITION: Hole = {
  in: "definitionApproval",
  from: "if (changed.length === 0) return undefined;",
  to: "if (changed.length >= 0) return undefined;",
};

/** A checkout of a proof is another one than that of a check: git sees a file in it, and its store has a folder of its own. */
const TOLD_APART: Hole = {
  in: "runOnCommit",
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
      { in: "compareRuns", from: "if (removed.length > 0)", to: "if (false)" },
      { in: "compareRuns", from: "if (ran(all) < expected)", to: "if (false)" },
    ],
  },
  skipped: {
    name: "a test that is newly skipped fails the check, and no second test by its name stands in for it",
    holes: [
      WITHOUT_DEEP_PROOF,
      { in: "compareRuns", from: "if (skipped.length > 0)", to: "if (false)" },
      { in: "compareRuns", from: "if (ran(all) < expected)", to: "if (false)" },
      { in: "compareRuns", from: "if (duplicated.length > 0)", to: "if (false)" },
      { in: "sortOld", from: "|| moreSkipped)", to: ")" },
    ],
  },
  failing: {
    name: "a test that fails, and not on the base, fails the check, whatever the exit code says",
    holes: [
      WITHOUT_DEEP_PROOF,
      { in: "sortOut", from: "if (tally.failed > (old?.failed ?? 0))", to: "if (false)" },
      { in: "compareRuns", from: "if (exit !== undefined)", to: "if (false)" },
    ],
  },
  fixes: {
    name: "a test that the ticket names in fixes must be there, run and pass, whatever it did on the base and whatever is allowed",
    holes: [WITHOUT_DEEP_PROOF, { in: "compareRuns", from: "[...fixFindings(before, now, { ...fixes, loads })]", to: "[]" }],
  },
  again: {
    name: "a check that failed is not run again on the same candidate, and a test that passed at the second try failed",
    holes: [
      WITHOUT_DEEP_PROOF,
      {
        in: "checkAndProve",
        from: "const tests = outcome.findings.flatMap(({ ids }) => ids).toSorted();",
        to: "const { ctx, scope, repo, step, candidate } = check;\n  return runCheckStep(ctx, scope, repo, step, candidate);\n  const tests: string[] = [];",
      },
      { in: "testOutcome", from: ', "flakyFailure", "flakyError"].some(', to: "].some(" },
    ],
  },
  ownFolder: {
    name: "nothing of an agent outlives it or reaches the folder of a judgement, whose name nobody can know, and what lies there is cleared away",
    holes: [
      WITHOUT_DEEP_PROOF,
      ...ANY_AGE,
      NO_LAYERS,
      {
        in: "runOnCommit",
        from: "const folders = checkFolders(room);",
        to: "const folders = { ...checkFolders(room), artifacts: room.replace(/\\d+-\\d+$/, log + '-artifacts') };",
      },
      {
        in: "confineAgent",
        from: "if (!ctx.confined) return undefined; const { write, read, mounts } = await repo.agentView({",
        to: "if (ctx !== undefined) return undefined;\n  const { write, read, mounts } = await repo.agentView({",
      },
      {
        in: "runOne",
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
      { in: "parseJunit", from: "if (valid !== true)", to: "if (false)" },
      { in: "parseTap", from: "if (first !== undefined)", to: "if (false)" },
    ],
  },
  protect: {
    name: "a change that touches a protected path or a submodule does not land",
    holes: [
      WITHOUT_DEEP_PROOF,
      { in: "compile", from: "return (path) => matchers.some((matches) => matches(path));", to: "return () => false;" },
      { in: "gates", from: "if (submodules.length > 0)", to: "if (false)" },
    ],
  },
  protectedScripts: {
    name: "the script that a check runs is the base's: its file is protected, and another text of it is a finding",
    holes: [
      { in: "compile", from: "return (path) => matchers.some((matches) => matches(path));", to: "return () => false;" },
      WITHOUT_DEEP_PROOF,
      { in: "overwrittenFindings", from: "if (overwritten.length === 0) return [];", to: "return [];" },
    ],
  },
  spelling: {
    name: "a path is protected in every spelling that some file system takes for it, and behind every link",
    holes: [
      {
        in: "matcher",
        from: "const fold = (text: string): string => caseless(text)",
        to: "void caseless; const fold = (text: string) => text",
      },
      {
        in: "touchedProtected",
        from: '|| ((mode === "symlink" || moved !== undefined) && how !== "deleted" && isOnTheWay(path))',
        to: "",
      },
      { in: "matcher", from: '.replace(/[\\n\\r\\u2028\\u2029]/g, "_");', to: ";" },
    ],
  },
  suppressions: {
    name: "a change that tells a tool to look away does not pass a check",
    holes: [WITHOUT_DEEP_PROOF, { in: "suppressionFindings", from: "if (count === 0) return [];", to: "return [];" }],
  },
  pristine: {
    name: "a change is judged in a fresh checkout of what was committed, and neither prepared nor run by programs that it brought",
    holes: [
      WITHOUT_DEEP_PROOF,
      {
        in: "runOnCommit",
        from: "await repo.checkout({ commit, path: folders.checkout, attributesOf });",
        to: `await repo.checkout({ commit, path: folders.checkout, attributesOf });
          (await import("node:fs")).cpSync(ctx.files.worktreePath(scope.ticket.id, scope.n), folders.checkout,
            { recursive: true, filter: (from) => !from.endsWith("/.git") });`,
      },
      { in: "prepare", from: "if (changed.length > 0)", to: "if (changed.length < 0)" },
      { in: "prepare", from: "if (touched.length === 0) return undefined;", to: "if (touched.length >= 0) return undefined;" },
      {
        in: "findProgram",
        from: 'path.split(":").filter((folder) => isAbsolute(folder));',
        to: 'path.split(":").map((folder) => resolve(cwd, folder));',
      },
      { in: "absoluteOnly", from: ".filter((entry) => isAbsolute(entry));", to: ";" },
      {
        in: "pathOutside",
        from: "if (!isAbsolute(entry)) return [];",
        to: "if (!isAbsolute(entry)) return [entry];",
      },
    ],
  },
  drivers: {
    name: "no filter, no hook and no program that a repository brings is run by the engine",
    holes: [
      WITHOUT_DEEP_PROOF,
      { in: "pristineCheckout", from: "objectId(options.attributesOf ?? commit)", to: "commit" },
      {
        in: "whyNotWritten",
        from: "namesFileIn(userCheckout, program)",
        to: "program === undefined",
      },
      {
        in: "inCheckout",
        from: "config: AS_STORED,",
        to: 'config: [...AS_STORED, ["include.path", join(store.at.commonDir, "config")]],',
      },
      {
        in: "SWITCHED_OFF",
        from: "allowUnsafeConfigEnvCount: true,",
        to: "allowUnsafeConfigEnvCount: true, allowUnsafeInclude: true,",
      },
      { in: "SAFE", from: '["core.hooksPath", "/dev/null"],', to: "" },
      { in: "begin", from: "closePath(process.env, clonesHere());", to: "void [closePath, clonesHere];" },
      { in: "loadBatch", from: "closePath(env, repoPaths(text, folder));", to: "void repoPaths;" },
    ],
  },
  merged: {
    name: "what is judged is the change merged with the base as it is now",
    holes: [
      WITHOUT_DEEP_PROOF,
      {
        in: "CandidateChecks.#checkTrain",
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
    holes: [{ in: "MOST_RUNNERS", from: "const MOST_RUNNERS = 3;", to: "const MOST_RUNNERS = 1;" }],
  },
  canaryAlone: {
    name: "in the judge's tree, only code under test is the candidate's",
    holes: [WITHOUT_JUDGES_TREE, WITHOUT_DEFINITION],
  },
  canaryOfEarlier: {
    name: "the judge's tree stands on the run's first base, without what its tickets did to tests and to how they are run",
    holes: [
      {
        in: "proveAlone",
        from: "const origin = originBelow(ctx, repo, candidate);",
        to: "const origin = (originBelow !== undefined && own) || own;",
      },
    ],
  },
  canaryTwoOfThree: {
    name: "a test of the base that fails in one run of two is run a third time, and it need not be the same test",
    holes: [{ in: "twoOfThree", from: "n - failed === 2", to: "n - failed === 1" }],
  },
  canaryOfUnloaded: {
    name: "tests of a file that the base could not load get twins too",
    holes: [WITHOUT_TWINS],
  },
  fixedByTests: {
    name: "a file that could not be loaded is fixed by its tests, not by none",
    holes: [{ in: "unmetBy", from: '? "empty" : undefined', to: "? undefined : undefined" }, WITHOUT_DEEP_PROOF],
  },
  canaryByChance: {
    name: "twins stand in files that load what was changed, and in any of the others",
    holes: [
      { in: "plantTwins", from: "rank(a) - rank(b)", to: "a.localeCompare(b)" },
      { in: "MOST_FILES", from: "const MOST_FILES = 40;", to: "const MOST_FILES = 12;" },
    ],
  },
  canaryNames: {
    name: "twins are named as their neighbours are, and the one that must fail may bear the name of the original",
    holes: [
      {
        in: "randomWords",
        from: "return Array.from({ length }, (_, i) =>",
        to: 'if (titles.length >= 0) return ["keeps", "plain", "rows", pickOne(draw, ENDS) ?? "", String(10000 + draw(90000))];\n  return Array.from({ length }, (_, i) =>',
      },
      { in: "twinned", from: "const [fails, passes] = draw(2) === 0 ?", to: "const [fails, passes] = draw(1) === 0 ?" },
    ],
  },
  canaryAsAny: {
    name: "the checkout of a proof is made of a commit, as any other, and nothing tells it from that of a check",
    holes: [TOLD_APART],
  },
} as const satisfies Record<string, Defence>;
