import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./children.ts";
import type { Figure, ItemFailure } from "./figure.ts";

/** The items that `.ci/run` measures. Aim at two and a half minutes in all on two idle cores. */
export const CI_ITEMS: readonly string[] = ["start", "overhead", "idle", "scheduling", "suite"];

const OUT = join(ROOT, ".ci/out/bench");

interface Measured {
  readonly items: readonly string[];
  readonly figures: readonly Figure[];
  readonly failures: readonly ItemFailure[];
}

/** Counts each item as one test, which fails if it did not run or one of its figures is over its bound. A line for each reason. */
export function countItems({ failures, figures, items }: Measured): { numbers: string; reasons: string } {
  const reasons = [
    ...failures.map(({ item, problem }) => ({ item, said: `did not run: ${problem}` })),
    ...figures.filter(({ pass }) => !pass).map((figure) => ({ item: figure.item, said: describe(figure) })),
  ];
  const failed = items.filter((item) => reasons.some((reason) => reason.item === item)).length;
  return {
    numbers: `${items.length - failed} passed, ${failed} failed\n`,
    reasons: reasons.map(({ item, said }) => `bench ${item}: ${said}\n`).join(""),
  };
}

function describe({ bound, ratio, unit, value, what }: Figure): string {
  const measured = bound?.on === "ratio" ? `${ratio?.toFixed(2)} times its floor` : `${Number(value.toFixed(1))} ${unit}`;
  return `${what} is ${measured}, at most ${bound?.max}`;
}

/** Writes what the last line of `.ci/run` adds up, and what it prints above. */
export function writeCiResult(measured: Measured): void {
  const { numbers, reasons } = countItems(measured);
  mkdirSync(OUT, { recursive: true });
  writeFileSync(join(OUT, "numbers"), numbers);
  writeFileSync(join(OUT, "failures"), reasons);
}
