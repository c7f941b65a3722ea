import { existsSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { TransientSpec } from "../../src/domain/batch/transient-spec.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { reduce } from "../../src/domain/run/reduce.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { ticketOf } from "../domain/simulate.ts";
import { fixedHarness } from "./fixed-harness.ts";
import { Stage, type StageOptions } from "./stage.ts";

export const T1 = TicketId.parse("T-1");

/** A class for a word that the tests below print. */
export const BUSY: TransientSpec = {
  name: "oven-busy",
  pattern: "the oven is busy",
  steps: ["prepare", "check", "verify"],
  waitSeconds: 0,
};
export const withTransients = (...classes: TransientSpec[]) => ({
  harness: fixedHarness({ classes: classes.length === 0 ? [BUSY] : classes }),
});

export const sh = (script: string, ...args: string[]): [string, ...string[]] => ["sh", "-c", script, ...args];
/** Counts its runs in a file; fails the first n times with these words, and then holds. */
export const busyFor = (n: number, file: string, words = "the oven is busy") =>
  sh('echo x >> "$0"; [ "$(wc -l < "$0")" -gt "$1" ] || { echo "$2"; exit 1; }', file, String(n), words);
export const runsOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0);

export const check = (command: readonly [string, ...string[]]): StepSpec => ({ step: "check", name: "unit", command });
export const verify = (command: readonly [string, ...string[]]): StepSpec => ({ step: "verify", name: "live", command });
export const lineOf = (step: StepSpec): StepSpec[] =>
  step.step === "check" ? [step, { step: "merge" }, { step: "assert" }] : [{ step: "merge" }, step, { step: "assert" }];

/** Runs one ticket to its end; what came of its attempt. A landed ticket that is not live is looked at once more after it. */
export async function run(
  step: StepSpec,
  part: Partial<StageOptions> = {},
  ctx: () => Partial<LoopContext> = () => withTransients(),
) {
  using stage = await Stage.open({ tickets: [ticketOf("T-1", { finish: lineOf(step) })], limits: { attempts: 1 }, ...part }, ctx);
  stage.start();
  const state = await stage.ended();
  expect(replayed(stage).transients).toEqual(state.transients);
  return {
    done: stage.of("attempt-ended")[0]?.outcome === "done",
    transients: replayed({ events: stage.events.slice(0, 1 + stage.events.findIndex(({ type }) => type === "attempt-ended")) })
      .transients,
    transientsOfRun: state.transients,
    retried: stage.of("step-retried").map(({ step: at, name, transient, waitMs }) => ({ step: at, name, transient, waitMs })),
    evidence: stage.of("attempt-ended")[0]?.evidence,
    stage,
  };
}

/** The state that the journal alone gives. */
function replayed({ events }: { readonly events: readonly RunEvent[] }): RunState {
  let state: RunState | undefined;
  for (const event of events) state = reduce(state, event);
  return state as RunState;
}
