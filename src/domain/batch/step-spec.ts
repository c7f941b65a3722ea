import { CONDITION_CHARS } from "@loopdash/test-evidence";
import { z } from "zod";
import type { Complexity } from "../complexity/classes.ts";
import { holdsExactNumbers } from "../values/exact-number.ts";
import { Argv, Variables } from "./prepare-command.ts";
import { minutes, name, usd } from "./values.ts";

/** At most a day. At least a tenth of a second, because every run is a checkout and a process. */
const seconds = z
  .number()
  .min(0.1)
  .max(24 * 3600);

/** Placeholder in a step's command for the batch file's folder. */
export const BATCH_FOLDER = "{batch}";

/** The keys of a step that runs a command. */
const commandStep = {
  command: Argv.describe("What must exit 0; {batch} stands for this file's folder"),
  minutes: minutes.optional().describe("Minutes before it is stopped; default: limits.minutesPerAttempt"),
  writes: z
    .array(z.string().min(1).max(400))
    .readonly()
    .optional()
    .describe("Globs of committed files that the command may rewrite; never protected ones"),
};

/** The place and format of a check's results per test. `vitest` and `jest` are the JSON of their own reporters. */
const WrittenReport = z
  .strictObject({
    format: z.enum(["junit", "vitest", "jest", "tap"]).describe("How it is written"),
    path: z
      .string()
      .min(1)
      .max(400)
      .describe("Its file: below {artifacts}, an empty folder, or relative to the checkout; '-': TAP on stdout"),
  })
  .describe("Results per test, which are compared with those of the base");

/** Results that the known test runners are made to tell, whatever command starts them. */
const FoundReport = z
  .strictObject({ format: z.literal("found").describe("The test runners that the command starts are made to report") })
  .describe("Results of the known test runners, without a change in the repository");

export const CheckReport = z
  .union([WrittenReport, FoundReport])
  .describe(
    "Results per test (docs/use/finish-line.md#test-by-test); default: found, if the command is known to start a test runner",
  );
export type CheckReport = z.infer<typeof CheckReport>;
export type WrittenReport = z.infer<typeof WrittenReport>;

export const FOUND_REPORT: CheckReport = { format: "found" };

/** The output that a verify command must print, beside its exit code 0; see `unmet`. */
const Expectation = z
  .strictObject({
    text: z.string().min(1).max(2000).optional().describe("Text that must appear in stdout"),
    json: z
      .json()
      .refine(holdsExactNumbers, "must hold no whole number beyond 2^53: it would not be compared exactly")
      .optional()
      .describe("JSON that stdout must contain; objects may have more keys, lists no more entries"),
  })
  .refine(({ text, json }) => text !== undefined || json !== undefined, "name a text or a json")
  .describe("What it must print");
export type Expectation = z.infer<typeof Expectation>;

/** Names the reason, where an unknown key would only be unknown. */
const NoVariables = z
  .never("a check runs the candidate's own code, which would read it; put it on a verify, or prepare what the check needs")
  .describe("Refused: a check runs the candidate's code");

const checkName = name.default("check").describe("Its name, once in a finish line");
const verifyName = name.default("verify").describe("Its name, once in a finish line");
const reviewName = name.default("review").describe("Its name, once in a finish line");
const attackName = name.default("adversary").describe("Its name, once in a finish line");

/** One entry of a finish line. `minutes` bounds a command; default: `limits.minutesPerAttempt`. */
export const StepSpec = z.discriminatedUnion("step", [
  z.strictObject({
    step: z
      .literal("gates")
      .describe(
        "The change is not empty, touches no protected path, brings no submodule and moves none to a commit that is not here",
      ),
  }),
  z.strictObject({
    step: z.literal("check").describe("The command exits 0 on the merge candidate"),
    name: checkName,
    ...commandStep,
    env: NoVariables.optional(),
    report: CheckReport.optional(),
    compare: z.literal("exit-code").optional().describe("Only the exit code counts"),
    canary: z.enum(["always", "sampled", "off"]).optional().describe("off: the proof plants no tests that must fail"),
  }),
  z.strictObject({
    step: z.literal("review").describe("The reviewer finds nothing as bad as its blocking (docs/use/reviewer.md)"),
    name: reviewName,
    by: z.enum(["first", "second"]).optional().describe("second: the secondReviewer; default: first"),
    minutes: minutes.optional().describe("Minutes before it is stopped; default: limits.minutesPerAttempt"),
  }),
  z.strictObject({
    step: z.literal("adversary").describe("smoke still works, and the reviewer could not break the candidate"),
    name: attackName,
    smoke: Argv.optional().describe("A command of normal work that must pass"),
    replay: z
      .strictObject({
        path: z.string().min(1).max(400).describe("The file, below the checkout, that the reviewer's text is written to"),
        command: Argv.describe("What must exit 0 with it: the attack is repelled"),
        before: z
          .strictObject({
            path: z.string().min(1).max(400).describe("The file"),
            text: z.string().max(64_000).describe("Its text"),
            command: Argv,
          })
          .optional()
          .describe("A file and its command, which must fail on the base, as the attack must"),
      })
      .optional()
      .describe("The reviewer must show an attack as the text of this file, which loopdash runs (docs/use/improve.md)"),
    minutes: minutes.optional().describe("Minutes before it is stopped; default: limits.minutesPerAttempt"),
  }),
  z.strictObject({ step: z.literal("merge").describe("The candidate that was checked becomes the tip of the base") }),
  z
    .strictObject({
      step: z.literal("verify").describe("The command exits 0 on what landed (docs/use/live-checks.md#verify)"),
      name: verifyName,
      ...commandStep,
      env: Variables.optional(),
      environment: name.optional().describe("The environment, for people: dev, prod"),
      within: seconds.optional().describe("Seconds in which it must pass; default: one probe"),
      every: seconds.optional().describe("Seconds between probes; default: 5"),
      expect: Expectation.optional(),
      sandbox: z
        .literal("off")
        .optional()
        .describe("off: runs outside the sandbox, with your rights, for containers and devices"),
    })
    .refine(({ every, within }) => every === undefined || within !== undefined, {
      message: "means nothing without within: there is one probe",
      path: ["every"],
    }),
  z.strictObject({ step: z.literal("assert").describe("The tracker says done when read back; added if it is missing") }),
]);
type WrittenStep = z.infer<typeof StepSpec>;

/** A contract's demands on a check beside those of every check. No finish line of a batch file can say it. */
export interface Criterion {
  /** The exit code that the command must end with; absent: 0. */
  readonly exitCode?: number | undefined;
  /** A condition over the counted tests of its report (`parseCondition`). */
  readonly condition?: string | undefined;
}

export type StepSpec =
  | Exclude<WrittenStep, { readonly step: "check" | "review" }>
  | (Extract<WrittenStep, { readonly step: "review" }> & {
      /** The classes of tickets that it is for; absent: all. No finish line of a batch file can say it. */
      readonly classes?: readonly Complexity[] | undefined;
    })
  | (Extract<WrittenStep, { readonly step: "check" }> & { readonly criterion?: Criterion | undefined });
export type StepKind = StepSpec["step"];

/** A step that runs a command on the candidate. */
export type Check = Extract<StepSpec, { step: "check" }>;

/** The exit code by which a check passes. */
export function wantedExitCode({ criterion }: Pick<Check, "criterion">): number {
  return criterion?.exitCode ?? 0;
}

/** True if a step is a criterion of a contract. */
export function isCriterion(step: StepSpec): boolean {
  return step.step === "check" && step.criterion !== undefined;
}

/** Stands for an index in the finish line if the prepare commands of a fresh worktree are meant. */
export const PREPARE_STEP = -1;

/** The name of a step for people, in the journal and in evidence: its name with its environment, or else its kind. */
export function stepName(spec: StepSpec): string {
  if (spec.step === "verify") {
    const more = [...(spec.environment === undefined ? [] : [spec.environment]), ...(isUnsandboxed(spec) ? ["unsandboxed"] : [])];
    return more.length === 0 ? spec.name : `${spec.name} (${more.join(", ")})`;
  }
  return "name" in spec ? spec.name : spec.step;
}

/** True if the batch lets a step's command run outside the sandbox: a `verify` alone can be let. */
export function isUnsandboxed(spec: StepSpec): boolean {
  return spec.step === "verify" && spec.sandbox === "off";
}

/** True if a step runs a command, which may need a whole machine: at most `limits.workers` of them run at a time. */
export function runsCommand({ step }: StepSpec): boolean {
  return step === "check" || step === "verify";
}

/** The finish line of a batch that names none. `assert` is appended if it is missing. */
export const DEFAULT_FINISH: readonly StepSpec[] = [{ step: "gates" }, { step: "merge" }, { step: "assert" }];

export const FinishLine = z.array(StepSpec).min(1).readonly();

/** Characters of a contract's Markdown. A prompt holds all of it. */
export const CONTRACT_BODY_CHARS = 12_000;

/** One success criterion. The engine runs it as a check of the ticket's finish line. */
const CriterionSpec = z.strictObject({
  name: name.describe("The criterion's name, which is that of its check"),
  ...commandStep,
  exitCode: z.number().int().min(0).max(125).optional().describe("The exit code that it must end with; default: 0"),
  report: CheckReport.optional(),
  condition: z
    .string()
    .min(1)
    .max(CONDITION_CHARS)
    .optional()
    .describe("What must hold of the counted tests of the report, such as tests_total >= base"),
});
export type CriterionSpec = z.infer<typeof CriterionSpec>;

/** Bounds on the work on a ticket, which the engine counts. Each can only tighten the batch's. */
const StopWhen = z
  .strictObject({
    attempts: z.number().int().min(1).max(20).optional().describe("Attempts that may fail"),
    minutes: minutes.optional().describe("Minutes of all its agents together"),
    usd: usd.optional().describe("Dollars that all its attempts may cost"),
    sameFailure: z.number().int().min(2).max(3).optional().describe("Equal failures in a row"),
  })
  .refine((bounds) => Object.values(bounds).some((bound) => bound !== undefined), "must name at least one bound");

const globs = z.array(z.string().min(1).max(400)).min(1).max(200).readonly();

/** Rules on the change. The engine enforces all but `rules`. */
const Safety = z.strictObject({
  protect: globs.optional().describe("Glob patterns of paths that the change may not touch, beside the batch's"),
  only: globs.optional().describe("Glob patterns: the change may touch no other path"),
  files: z.number().int().min(1).max(100_000).optional().describe("Files that the change may touch at most"),
  rules: z
    .array(z.string().trim().min(1).max(500))
    .min(1)
    .max(50)
    .readonly()
    .optional()
    .describe("Rules that agent and reviewer are told; the engine does not enforce them"),
});

/** A part of the work, in order, and the criteria of its checkpoint. */
const Phase = z.strictObject({
  name: name.describe("The phase's name"),
  criteria: z.array(name).min(1).max(50).readonly().describe("Names of the criteria that are its checkpoint"),
});

/** The front matter of a contract file, as a person writes it. */
export const ContractSpec = z.strictObject({
  criteria: z.array(CriterionSpec).min(1).max(50).readonly().describe("The success criteria, each of which the engine runs"),
  stopWhen: StopWhen.optional(),
  safety: Safety.optional(),
  phases: z.array(Phase).min(1).max(20).readonly().optional(),
});
export type ContractSpec = z.infer<typeof ContractSpec>;

/** A ticket's contract, as a run freezes it. Its criteria are checks of the ticket's finish line (`criterion`). */
export interface Contract extends Pick<ContractSpec, "stopWhen" | "safety" | "phases"> {
  /** Its file, as the batch names it. */
  readonly path: string;
  /** sha256 of its text, in hexadecimal digits. */
  readonly sha: string;
  /** The Markdown below the front matter. */
  readonly body: string;
}

/** The phase whose checkpoint a check belongs to; undefined if it belongs to none. */
export function findCheckPhase({ phases = [] }: Pick<Contract, "phases">, check: string): string | undefined {
  return phases.find(({ criteria }) => criteria.includes(check))?.name;
}
