import type { Batch } from "../../domain/batch/schema.ts";
import type { TransientSpec } from "../../domain/batch/transient-spec.ts";

/** The classes of hiccups of a run: the batch's own, then those of the harness. */
export function transientsOf({ transients = [] }: Pick<Batch, "transients">): Promise<readonly TransientSpec[]> {
  return Promise.resolve(transients);
}
