import fc from "fast-check";
import type { Plan } from "../../../src/domain/run/state.ts";
import { planBatch } from "../../../src/domain/schedule/plan.ts";
import { batchOf } from "../run-builder.ts";

/** A plan of tickets by name, each with those it waits for. */
export function planWith(
  dependsOn: Readonly<Record<string, readonly string[]>>,
  durations: Readonly<Record<string, number>> = {},
): Plan {
  return planBatch(
    batchOf({ tickets: Object.entries(dependsOn).map(([id, deps]) => ({ id, dependsOn: deps })) }).tickets,
    durations,
  );
}

/** Any plan of up to `most` tickets: each waits for some of those before it. */
export function anyPlan(most: number): fc.Arbitrary<Plan> {
  return fc
    .array(fc.array(fc.nat({ max: most }), { maxLength: 4 }), { maxLength: most })
    .map((all) =>
      planWith(
        Object.fromEntries(all.map((deps, i) => [`T-${i}`, i === 0 ? [] : [...new Set(deps.map((dep) => `T-${dep % i}`))]])),
      ),
    );
}
