import type { Draw, Planting, Sowing, TestRunner } from "../../../src/domain/test-canary/runner.ts";

/** Numbers that look random and are the same in every run. */
export function seeded(seed = 1): Draw {
  let state = seed;
  return (n) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % n;
  };
}

/** Plants at the end of a file and beside it. The empty lines at its top are left out, of which there is one at least. */
export function plant(runner: TestRunner, path: string, text: string, fails: Sowing["fails"] = "many", seed = 1) {
  const sowing: Sowing = { draw: seeded(seed), fails };
  const planted = runner.append({ path, text }, sowing);
  if (planted !== undefined && !planted.text.startsWith("\n")) throw new Error("no line was moved");
  const appended = planted === undefined ? undefined : { ...planted, text: planted.text.replace(/^\n+/, "") };
  return { appended, fresh: runner.beside({ path, text }, sowing) };
}

/** The names of planted tests, by what they have to do. */
export function names(planting: Planting | undefined, role: "fails" | "passes" | "known"): readonly string[] {
  return (planting?.tests ?? []).flatMap((test) => (test.role === role ? [test.name] : []));
}
