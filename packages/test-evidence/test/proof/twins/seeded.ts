import type { Draw } from "../../../src/proof/twin.ts";

/** Numbers that look random and are the same in every run. */
export function seeded(seed = 1): Draw {
  let state = (seed * 7919 + 12_345) % 2_147_483_647;
  return (n) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % n;
  };
}
