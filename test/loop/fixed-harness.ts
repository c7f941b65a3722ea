import type { TransientSpec } from "../../src/domain/batch/transient-spec.ts";
import { WORKER_VARIABLES } from "../../src/loop/attempt/prompt.ts";
import type { Harness } from "../../src/ports/harness.ts";

/** A harness that nobody heals: these texts and classes, and a template of nothing but its variables. */
export function fixedHarness({
  worker,
  hints,
  classes,
}: {
  readonly worker?: string;
  readonly hints?: string;
  readonly classes?: readonly TransientSpec[];
} = {}): Harness {
  const refuse = () => Promise.reject(new Error("nobody heals this harness"));
  return {
    worker: () => Promise.resolve(worker ?? WORKER_VARIABLES.map((name) => `{{${name}}}`).join(" ")),
    hints: () => Promise.resolve(hints ?? ""),
    transients: () => Promise.resolve(classes ?? []),
    tools: () => Promise.resolve(undefined),
    layOut: refuse,
    read: refuse,
    write: refuse,
    keep: refuse,
  };
}
