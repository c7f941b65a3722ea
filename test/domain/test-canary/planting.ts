import type { Draw, Planting, Sowing, TestRunner } from "../../../src/domain/test-canary/runner.ts";

/** Numbers that look random and are the same in every run. */
export function seeded(seed = 1): Draw {
  let state = seed;
  return (n) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % n;
  };
}

/** Plants at the end of a file and beside it. */
export function plant(runner: TestRunner, path: string, text: string, fails: Sowing["fails"] = "many") {
  const of: Sowing = { draw: seeded(), fails };
  return { appended: runner.append({ path, text }, of), fresh: runner.beside({ path, text }, of) };
}

/** The names of planted tests, by what they have to do. */
export function names(planting: Planting | undefined, role: "fails" | "passes" | "known"): readonly string[] {
  return (planting?.tests ?? []).flatMap((test) => (test.role === role ? [test.name] : []));
}
