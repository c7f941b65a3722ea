/** What Stryker keeps in the test's process while it measures; absent in any other run. */
interface Measuring {
  readonly activeMutant?: string;
  readonly currentTestId?: string;
  mutantCoverage?: { readonly static: object; readonly perTest: Record<string, Record<string, number>> };
}

/**
 * The environment for a run of the oracle as a process: empty but for the mutant that is on trial, if there is one. A process
 * cannot report what it ran, so each mutant of `oracle/done.ts` in the bundle counts as run by the test that starts it.
 */
export function oracleEnvironment(bundle: string): Record<string, string> {
  const measuring: Measuring | undefined = Reflect.get(globalThis, "__stryker__");
  if (measuring === undefined) return {};
  const { activeMutant, currentTestId } = measuring;
  if (activeMutant !== undefined) return { __STRYKER_ACTIVE_MUTANT__: activeMutant };
  if (currentTestId === undefined) return {};
  measuring.mutantCoverage ??= { static: {}, perTest: {} };
  const covered = (measuring.mutantCoverage.perTest[currentTestId] ??= {});
  const own = bundle.slice(bundle.lastIndexOf("// oracle/done.ts"));
  for (const [, ids = ""] of own.matchAll(/stryCov_\w+\(([^)]*)\)/g)) {
    for (const [id] of ids.matchAll(/\d+/g)) covered[id] = 1;
  }
  return {};
}
