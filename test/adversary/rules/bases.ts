import type { Rule } from "./rule.ts";

/** Rules about broken bases and reverts. */
export const BASES: readonly Rule[] = [
  {
    rule: "while a landed change is not live, nothing else lands on its base",
    holes: [
      {
        in: "mayLand",
        from: "&& freezeReason(ctx.state(), scope.ticket.id) === undefined",
        to: "",
      },
      {
        in: "waitForBase",
        from: "const reason = scope.signal.aborted ? undefined : freezeReason(ctx.state(), scope.ticket.id);",
        to: "const reason = [undefined as string | undefined][0];",
      },
    ],
    test: "nothing else lands on its base, agents keep working",
  },
  {
    rule: "an attempt that a check on its base keeps back is not repeated until the base has moved",
    holes: [
      {
        in: "waitsForBase",
        from: "if (waitsForCheck(state, index)) return known;",
        to: "void waitsForCheck;",
      },
    ],
    test: "whatever breaks a base",
  },
  {
    rule: "a check that fails on the base without the change is not held against the change",
    holes: [
      {
        in: "checkCandidate",
        from: 'if (onBase?.as !== "failed") return result;',
        to: 'if (onBase?.as !== "failed" || scope !== undefined) return result;',
      },
    ],
    test: "breaks the base: what landed last is suspected",
  },
  {
    rule: "a new engine knows which checks passed on the base",
    holes: [
      {
        in: "withLanding",
        from: "withLandedCommit(known?.commits ?? [], {",
        to: "withLandedCommit([], {",
      },
    ],
    test: "is excused by an engine that did not see it pass before",
  },
  {
    rule: "a revert lands only if the checks pass without the change",
    holes: [
      {
        in: "runChecks",
        from: "if (result.ok) continue;",
        to: "if (result !== undefined) continue;",
      },
    ],
    test: "freezes the base if a check fails without it",
  },
  {
    rule: "a revert that an earlier engine has landed is not repeated",
    holes: [
      {
        in: "completeLanding",
        from: "if (from === undefined || to === undefined || !(await repo.contains(to))) return false;",
        to: "if (from === undefined || to === undefined || from !== to) return false;",
      },
    ],
    test: "after the revert has landed: the change is reverted once",
  },
  {
    rule: "nothing goes on to prod while dev fails on the same base",
    holes: [
      {
        in: "heldByEnvironment",
        from: 'if (step.step !== "verify" || step.environment === undefined) return undefined;',
        to: 'if (step.step !== "verify" || step.environment === undefined || step.name !== "") return undefined;',
      },
    ],
    test: "no ticket on it goes on to prod; it does once dev passes",
  },
  {
    rule: "tests that broke on a base during the run freeze it",
    holes: [
      {
        in: "byTests",
        from: 'if (broken.length === 0) return { as: "passed" };',
        to: 'if (broken.length >= 0) return { as: "passed" };',
      },
    ],
    test: "break the base: what landed last is suspected",
  },
  {
    rule: "a change that passes a check only because its base fails too does not land",
    holes: [
      {
        in: "countsOnBrokenBase",
        from: "return repairsTests(ctx, scope, repo, { step, commit: candidate.commit, tests });",
        to: "return step !== undefined && repairsTests !== undefined;",
      },
    ],
    test: "are repaired by a change with which they pass",
  },
  {
    rule: "tests that were red before the run do not break its base",
    holes: [
      {
        in: "brokenTests",
        from: "failed > Math.min(...before)",
        to: "failed > 0 * before.length",
      },
    ],
    test: "do not count, whatever has landed since",
  },
  {
    rule: "a test that was red before the run and was repaired breaks the base if it fails again",
    holes: [
      {
        in: "earlierRuns",
        from: "[...new Set([initial, passed])]",
        to: "[...new Set([initial, passed].slice(0, 1))]",
      },
    ],
    test: "break it too if they were red before the run",
  },
  {
    rule: "a test that fails once breaks no base",
    holes: [
      {
        in: "byTests",
        from: "const still = failingAmong(broken, second);",
        to: "const still = second === undefined ? [] : broken;",
      },
    ],
    test: "do not break it if they fail once and pass",
  },
  {
    rule: "a base that leaves no report any more is no fault of the change",
    holes: [
      {
        in: "countsOnBrokenBase",
        from: "if (tests === undefined) return result.ok;",
        to: "if (tests === undefined) return true;",
      },
    ],
    test: "break the base too if it leaves no report any more",
  },
  {
    rule: "a landed change with which a check fails on the base is reverted",
    holes: [
      {
        in: "suspectsToRevert",
        from: 'if (cause === "check") return isSuspectedByCheck(state, index) ? [id] : [];',
        to: 'if (cause === "check") return [];',
      },
    ],
    test: "is reverted, its ticket is open again with the evidence, and what waited lands",
  },
  {
    rule: "a suspected change is reverted only if the check passes on the base before it",
    holes: [
      {
        in: "proveFault",
        from: 'if (passes) return { as: "proven" };',
        to: 'if (passes || tip !== "") return { as: "proven" };',
      },
    ],
    test: "is not reverted if the check fails on the base before it too",
  },
  {
    rule: "a ticket whose change a check has reverted gets the evidence",
    holes: [
      {
        in: "end",
        from: "const evidence = failedCheck ?? failedChecks(live);",
        to: "const evidence = failedChecks(live);",
      },
    ],
    test: "is reverted, its ticket is open again with the evidence, and what waited lands",
  },
  {
    rule: "each broken base is an incident",
    holes: [
      {
        in: "withRepoBase",
        from: ": withIncident(state.incidents, incident),",
        to: ': withIncident(state.incidents, incident).filter(({ kind }) => kind !== "broken-base"),',
      },
    ],
    test: "break the base: what landed last is suspected",
  },
];
