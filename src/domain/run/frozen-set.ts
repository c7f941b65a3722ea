import { createHash } from "node:crypto";
import type { Batch } from "../batch/schema.ts";

/** sha256 of everything that decides whether a run worked, part by part. None of it changes during the run
 * (law 9), unless a person accepts a changed batch file, which is on record. */
export type FrozenSet = Readonly<Record<"oracle" | "batch" | "limits" | "guard" | "sandbox" | "tripwire", string>>;

/** The frozen set of a run, from the parts in use now. The other hashes are sha256 in hexadecimal digits. */
export function buildFrozenSet(options: {
  readonly batch: Batch;
  readonly oracleSha: string;
  /** The hash of the batch as the oracle reads it. */
  readonly batchSha: string;
  /** The hash of the code that makes and judges the canaries. */
  readonly tripwireSha: string;
}): FrozenSet {
  const { batch } = options;
  const policy = Object.entries(batch).filter(([key]) => key.startsWith("sandbox"));
  return {
    oracle: jsonSha({ program: options.oracleSha, spec: batch.oracle ?? null }),
    batch: jsonSha({ judged: options.batchSha, batch }),
    limits: jsonSha(batch.limits),
    guard: jsonSha(batch.protect),
    sandbox: jsonSha(policy),
    tripwire: options.tripwireSha,
  };
}

/** The frozen set after a person changed the bounds of a batch. What the oracle reads, and the oracle itself, stay the same. */
export function refrozen(
  before: FrozenSet,
  { batch, batchSha }: { readonly batch: Batch; readonly batchSha: string },
): FrozenSet {
  const bounds = { limits: jsonSha(batch.limits), guard: jsonSha(batch.protect) };
  return { ...before, ...bounds, batch: jsonSha({ judged: batchSha, batch }) };
}

/** The first part that differs from the recorded one; undefined if all are equal. */
export function changedPart(recorded: FrozenSet, now: FrozenSet): keyof FrozenSet | undefined {
  // The batch contains everything else that a person wrote, so the narrower names come first.
  const parts = ["oracle", "limits", "guard", "sandbox", "tripwire", "batch"] as const;
  return parts.find((part) => recorded[part] !== now[part]);
}

/** Plain JSON gives the same text before and after journalling: keys keep their order. */
function jsonSha(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
