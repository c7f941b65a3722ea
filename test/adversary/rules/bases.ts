import type { Rule } from "./rule.ts";

/** Rules about broken bases and reverts. */
export const BASES: readonly Rule[] = [
  {
    rule: "while a landed change is not live, nothing else lands on its base",
    holes: [
      {
        file: "src/loop/steps/merge.ts",
        from: " && freezeReason(ctx.state(), scope.ticket.id) === undefined;",
        to: ";",
      },
      {
        file: "src/loop/steps/merge.ts",
        from: "const reason = scope.signal.aborted ? undefined : freezeReason(ctx.state(), scope.ticket.id);",
        to: "const reason = [undefined as string | undefined][0];",
      },
    ],
    file: "test/loop/broken-base.test.ts",
    test: "nothing else lands on its base, agents keep working",
  },
  {
    rule: "an attempt that a check on its base keeps back is not repeated until the base has moved",
    holes: [
      {
        file: "src/domain/schedule/freeze.ts",
        from: "if (waitsForCheck(state, index)) return known;",
        to: "void waitsForCheck;",
      },
    ],
    file: "test/loop/bases.property.test.ts",
    test: "whatever breaks a base",
  },
  {
    rule: "a check that fails on the base without the change is not held against the change",
    holes: [
      {
        file: "src/loop/attempt/check-candidate.ts",
        from: 'if (onBase?.as !== "failed") return result;',
        to: 'if (onBase?.as !== "failed" || scope !== undefined) return result;',
      },
    ],
    file: "test/loop/base-check.test.ts",
    test: "breaks the base: what landed last is suspected",
  },
  {
    rule: "a new engine knows which checks passed on the base",
    holes: [
      {
        file: "src/domain/run/reduce-base.ts",
        from: "withLandedCommit(known?.commits ?? [], {",
        to: "withLandedCommit([], {",
      },
    ],
    file: "test/loop/base-check.test.ts",
    test: "is excused by an engine that did not see it pass before",
  },
  {
    rule: "a revert lands only if the checks pass without the change",
    holes: [
      {
        file: "src/loop/run/revert.ts",
        from: "if (result.ok) continue;",
        to: "if (result !== undefined) continue;",
      },
    ],
    file: "test/loop/revert.test.ts",
    test: "freezes the base if a check fails without it",
  },
  {
    rule: "a revert that an earlier engine has landed is not repeated",
    holes: [
      {
        file: "src/loop/run/revert.ts",
        from: "if (from === undefined || to === undefined || !(await repo.contains(to))) return false;",
        to: "if (from === undefined || to === undefined || from !== to) return false;",
      },
    ],
    file: "test/loop/revert.test.ts",
    test: "after the revert has landed: the change is reverted once",
  },
  {
    rule: "nothing goes on to prod while dev fails on the same base",
    holes: [
      {
        file: "src/domain/schedule/environments.ts",
        from: 'if (step.step !== "verify" || step.environment === undefined) return undefined;',
        to: 'if (step.step !== "verify" || step.environment === undefined || step.name !== "") return undefined;',
      },
    ],
    file: "test/loop/environments.test.ts",
    test: "no ticket on it goes on to prod; it does once dev passes",
  },
  {
    rule: "tests that broke on a base during the run freeze it",
    holes: [
      {
        file: "src/loop/steps/base-health.ts",
        from: '  if (broken.length === 0) return { as: "passed" };',
        to: '  if (broken.length >= 0) return { as: "passed" };',
      },
    ],
    file: "test/loop/base-tests.test.ts",
    test: "break the base: what landed last is suspected",
  },
  {
    rule: "a change that passes a check only because its base fails too does not land",
    holes: [
      {
        file: "src/loop/attempt/check-candidate.ts",
        from: "  return repairsTests(ctx, scope, repo, { step, commit: candidate.commit, tests });",
        to: "  return step !== undefined && repairsTests !== undefined;",
      },
    ],
    file: "test/loop/base-tests.test.ts",
    test: "are repaired by a change with which they pass",
  },
  {
    rule: "tests that were red before the run do not break its base",
    holes: [
      {
        file: "src/domain/evidence/broken-tests.ts",
        from: "failed > Math.min(...before)",
        to: "failed > 0 * before.length",
      },
    ],
    file: "test/loop/base-tests.test.ts",
    test: "do not count, whatever has landed since",
  },
  {
    rule: "a test that was red before the run and was repaired breaks the base if it fails again",
    holes: [
      {
        file: "src/loop/steps/base-health.ts",
        from: "[...new Set([initial, passed])]",
        to: "[...new Set([initial, passed].slice(0, 1))]",
      },
    ],
    file: "test/loop/base-tests.test.ts",
    test: "break it too if they were red before the run",
  },
  {
    rule: "a test that fails once breaks no base",
    holes: [
      {
        file: "src/loop/steps/base-health.ts",
        from: "  const still = failingAmong(broken, second);",
        to: "  const still = second === undefined ? [] : broken;",
      },
    ],
    file: "test/loop/base-tests.test.ts",
    test: "do not break it if they fail once and pass",
  },
  {
    rule: "a base that leaves no report any more is no fault of the change",
    holes: [
      {
        file: "src/loop/attempt/check-candidate.ts",
        from: "  if (tests === undefined) return result.ok;",
        to: "  if (tests === undefined) return true;",
      },
    ],
    file: "test/loop/base-tests.test.ts",
    test: "break the base too if it leaves no report any more",
  },
  {
    rule: "a landed change with which a check fails on the base is reverted",
    holes: [
      {
        file: "src/domain/schedule/freeze.ts",
        from: 'if (cause === "check") return isSuspectedByCheck(state, index) ? [id] : [];',
        to: 'if (cause === "check") return [];',
      },
    ],
    file: "test/loop/base-tests.test.ts",
    test: "is reverted, its ticket is open again with the evidence",
  },
  {
    rule: "a suspected change is reverted only if the check passes on the base before it",
    holes: [
      {
        file: "src/loop/steps/base-fault.ts",
        from: '  if (passes) return { as: "proven" };',
        to: '  if (passes || tip !== "") return { as: "proven" };',
      },
    ],
    file: "test/loop/base-tests.test.ts",
    test: "is not reverted if the check fails on the base before it too",
  },
  {
    rule: "a ticket whose change a check has reverted gets the evidence",
    holes: [
      {
        file: "src/domain/run/reduce-revert.ts",
        from: "const evidence = failedCheck ?? failedChecks(live);",
        to: "const evidence = failedChecks(live);",
      },
    ],
    file: "test/loop/base-tests.test.ts",
    test: "is reverted, its ticket is open again with the evidence",
  },
  {
    rule: "each broken base is an incident",
    holes: [
      {
        file: "src/domain/run/reduce-base.ts",
        from: ": withIncident(state.incidents, incident),",
        to: ': withIncident(state.incidents, incident).filter(({ kind }) => kind !== "broken-base"),',
      },
    ],
    file: "test/loop/base-tests.test.ts",
    test: "break the base: what landed last is suspected",
  },
];
