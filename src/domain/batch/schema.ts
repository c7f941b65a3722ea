import { z } from "zod";
import type { Bounds } from "../bound/bound.ts";
import type { Complexity } from "../complexity/classes.ts";
import type { Allowance } from "../evidence/results.ts";
import { RepoId, TicketId } from "../values/ids.ts";
import { Allow, Fixes, RedFirst } from "./allow-spec.ts";
import { BehaviourSpec } from "./behaviour-spec.ts";
import { BoundSpec } from "./bound-spec.ts";
import { CommitSpec } from "./commit-spec.ts";
import { ComplexitySpec, type Routes, TicketComplexity } from "./complexity-spec.ts";
import { PROTECT_DEFAULTS } from "./default-protect.ts";
import { GuardSpec } from "./guard-spec.ts";
import { HealsSpec } from "./heals-spec.ts";
import { HostSpec } from "./host-spec.ts";
import { Flaky, Gated, LiveSpec, OnBroken } from "./live-spec.ts";
import { AgentSpec, type Parties, type ReviewerParty, ReviewerSpec, SecondReviewerSpec } from "./party.ts";
import { Argv, type TestCommands } from "./prepare-command.ts";
import { JudgeSpec, ProofSpec } from "./proof-spec.ts";
import { RepoSpec } from "./repo-spec.ts";
import { SecretSpecs } from "./secret-spec.ts";
import { type Contract, FinishLine, type StepSpec } from "./step-spec.ts";
import { TrackerSpec } from "./tracker-spec.ts";
import { TransientSpec } from "./transient-spec.ts";
import { minutes, name, usd } from "./values.ts";

const ticketId = TicketId.describe(
  "The ticket's id: letters, digits, '-', '_' and single dots, at most 64; it names folder and branch",
);
const title = z.string().trim().min(1).max(200);

const contractPath = z.string().min(1).max(400);

/** A ticket in the batch file. With a ticket folder an id is enough: missing values come from the folder. */
export const TicketSpec = z.strictObject({
  id: ticketId,
  title: title.optional().describe("The task in one line; may be left out if the ticket is in a folder"),
  body: z.string().max(64_000).default("").describe("The text for the agent, beside the title"),
  repo: RepoId.optional().describe("A key of repos; may be left out if there is only one"),
  dependsOn: z.array(TicketId).readonly().default([]).describe("Ids of tickets that must be done before this one starts"),
  exclusive: z.array(name).readonly().default([]).describe("Names of things that only one ticket may use at a time"),
  finish: FinishLine.optional().describe("This ticket's own finish line, in place of the batch's"),
  allow: Allow.optional().describe("Permissions of this ticket for changes to tests and checks that are refused by default"),
  fixes: Fixes.optional(),
  redFirst: RedFirst.optional(),
  complexity: TicketComplexity.optional(),
  contract: contractPath
    .optional()
    .describe("The ticket's contract: a Markdown file below this file's folder, with criteria that the engine runs"),
});
export type TicketSpec = z.infer<typeof TicketSpec>;

/** A custom oracle in place of the built-in one. */
export const OracleSpec = z
  .strictObject({
    command: Argv.describe(
      "Program and arguments; the batch to judge is added as the last one. Exit 0 done, 1 not done, 2 cannot judge",
    ),
    reads: z
      .enum(["tracker", "elsewhere"])
      .default("tracker")
      .describe("Whether it reads the tracker in its batch; one that reads elsewhere cannot be tested with canaries"),
  })
  .describe("Who says whether the batch is done, in place of the oracle that ships");
export type OracleSpec = z.infer<typeof OracleSpec>;

/** Every bound of a run. `decide` or the executor reads each of them. */
export const Limits = z.strictObject({
  workers: z.number().int().min(1).max(64).default(4).describe("Tickets worked at the same time"),
  attempts: z.number().int().min(1).max(20).default(3).describe("Attempts per ticket that may fail before it is stalled"),
  heals: z.number().int().min(0).max(10).default(2).describe("Repairs of the harness per run"),
  discoveries: z.number().int().min(0).max(100).default(5).describe("Tickets that workers may add to the run"),
  minutesPerAttempt: minutes.default(60).describe("Minutes before an agent is ended"),
  silenceMinutes: minutes.default(10).describe("Minutes without output before an agent is ended"),
  minutesPerPrepare: minutes.default(15).describe("Minutes before a prepare command is ended"),
  prepareSilenceMinutes: minutes.default(5).describe("Minutes without output before a prepare command is ended"),
  usdPerAttempt: usd.default(5).describe("Dollars that one attempt may cost"),
  usdPerTicket: usd.default(15).describe("Dollars that all attempts of one ticket may cost"),
  usdPerRun: usd.default(50).describe("Dollars that the whole run may cost"),
  usdPerDay: usd.default(150).describe("Dollars that all runs of one day may cost"),
  outageMinutes: z
    .number()
    .min(0)
    .max(7 * 24 * 60)
    .default(15)
    .describe(
      "Minutes for which loopdash repeats what it cannot reach (tracker, oracle, git, disk, model's API, reviewer) before the run ends",
    ),
  diskGiB: z
    .number()
    .min(0.01)
    .max(10_000)
    .default(20)
    .describe("Gibibytes that the worktree of one attempt, or the folders of one check, may take"),
  cacheGiB: z
    .number()
    .min(0)
    .max(10_000)
    .optional()
    .describe(
      "Gibibytes that all kept results of prepare together may take; the ones not used for longest go first; default: 20",
    ),
  minutesPerRun: minutes
    .optional()
    .describe("Minutes after the first start of a run after which it ends, whatever is under way; default: no end"),
  countOtherSessions: z
    .boolean()
    .default(false)
    .describe(
      "True if usdPerDay also covers other sessions of the agent's and the reviewer's programs, as logged on this machine",
    ),
});
export type Limits = z.infer<typeof Limits>;

export const SandboxMode = z
  .enum(["required", "auto", "off"])
  .describe("Confinement of agents: required refuses to start without a sandbox, auto uses one if there is one, off uses none");
export type SandboxMode = z.infer<typeof SandboxMode>;

/** Paths and hosts that a batch opens in the sandbox beyond the standard ones. Frozen with the batch. */
export const SandboxPolicy = z.strictObject({
  read: z.array(z.string().min(1)).readonly().default([]).describe("Further folders and files that agents and commands may read"),
  write: z.array(z.string().min(1)).readonly().default([]).describe("Further folders that agents and commands may write"),
  hosts: z
    .record(name, z.array(HostSpec).readonly())
    .default({})
    .describe(
      "Hosts that a step may reach, by its name, or by 'prepare', 'agent', 'blocker' (commands of a claimed blocker) or 'adjudicator'",
    ),
});
export type SandboxPolicy = z.infer<typeof SandboxPolicy>;

/** The batch file, as a person writes it. */
export const BatchFile = z.strictObject({
  $schema: z.string().optional().describe("Where editors find the schema of this file"),
  name: name.describe("The batch's name: 1 to 40 letters, digits, spaces, '.', ':', '_' or '-'"),
  tracker: TrackerSpec.default({ kind: "local" }),
  repos: z
    .record(RepoId, RepoSpec)
    .refine((repos) => Object.keys(repos).length > 0, "name at least one repository")
    .describe("The repositories that tickets change, each under a short name"),
  agent: AgentSpec,
  reviewer: ReviewerSpec.optional(),
  secondReviewer: SecondReviewerSpec.optional(),
  oracle: OracleSpec.optional(),
  sandbox: SandboxMode.default("required"),
  sandboxPolicy: SandboxPolicy.optional().describe("Paths and hosts that the sandbox opens beyond the standard ones"),
  secrets: SecretSpecs.optional(),
  limits: Limits.prefault({}).describe("Every bound of a run"),
  discoveries: z
    .strictObject({
      otherRepositories: z
        .boolean()
        .describe("Whether agents work on a discovery for another repository before a person lets it in"),
    })
    .optional()
    .describe("What becomes of tickets that agents find"),
  heals: HealsSpec.optional().describe("What becomes of repairs of the harness after the run"),
  finish: FinishLine.optional().describe(
    "The steps to a done ticket, in order; default: gates, the repository's own tests, review (if there is a reviewer), merge, assert",
  ),
  live: LiveSpec.optional().describe("How a verify that fails after the landing is repeated, without an agent"),
  onBroken: OnBroken.optional().describe(
    "What a broken base means: freeze (default) lands nothing else on it, revert also takes its landed change back, continue lands on",
  ),
  flaky: Flaky.optional().describe(
    "What a failure of nothing but tests that are flaky on the base means: excuse (default) lets one more run decide, count fails",
  ),
  gated: Gated.optional(),
  transients: z
    .array(TransientSpec)
    .max(50)
    .readonly()
    .default([])
    .describe(
      "Transients (failures that pass by themselves) by name, beside the built-in ones: a step that fails by one is retried once",
    ),
  proof: ProofSpec.optional(),
  judge: JudgeSpec.optional(),
  protect: z
    .array(z.string().min(1))
    .readonly()
    .default([PROTECT_DEFAULTS])
    .describe(
      `Glob patterns of paths that no change may touch; "${PROTECT_DEFAULTS}" stands for CI and the set-up of test runners`,
    ),
  commit: CommitSpec.optional(),
  bound: BoundSpec.optional(),
  behaviour: BehaviourSpec.optional().describe("Thresholds of the signals of agents' behaviour, and what happens when one fails"),
  guard: GuardSpec.optional().describe("The command guard in workers; true, and without it: the defaults; false: none"),
  complexity: ComplexitySpec.optional(),
  contracts: z
    .record(TicketId, contractPath)
    .optional()
    .describe("Contracts by ticket, for tickets that this file does not list: Markdown files below this file's folder"),
  tickets: z
    .array(TicketSpec)
    .readonly()
    .default([])
    .describe("The tickets; with a ticket folder, those of it to take (default: all)"),
});
export type BatchFile = z.infer<typeof BatchFile>;

/** Who wrote the text of a ticket that is kept in a tracker. `filed`: loopdash, for an agent or a person of some run. */
export type Writer = "member" | "outsider" | "filed" | "unknown";

/** A ticket with everything resolved: title, body and dependencies from the tracker, and an inherited finish line. */
export interface Ticket {
  readonly id: TicketId;
  readonly title: string;
  readonly body: string;
  readonly repo: RepoId;
  readonly dependsOn: readonly TicketId[];
  readonly exclusive: readonly string[];
  readonly finish: readonly StepSpec[];
  readonly allow?: Allowance | undefined;
  /** Ids of tests that must pass on its candidate; `*` stands for any characters. Only the batch file can name them. */
  readonly fixes?: readonly string[] | undefined;
  /** True if each test that it adds must fail without the rest of its change. */
  readonly redFirst?: boolean | undefined;
  /** The class that a person gave it. */
  readonly complexity?: Complexity | undefined;
  /** Its contract, whose criteria are checks of `finish`. */
  readonly contract?: Contract | undefined;
  /** The ticket whose worker found this one, in this run or in an earlier one; absent if a person wrote it. */
  readonly foundBy?: TicketId | undefined;
  /** The repository of the finder, if it is another one and the batch does not allow that: a person lets the ticket in. */
  readonly fromRepo?: RepoId | undefined;
  /** Who wrote its text, if it is a tracker's. */
  readonly writer?: Writer | undefined;
  /** True if a person added it while a run was under way, this one or an earlier one. */
  readonly added?: true | undefined;
}

/** The batch as a run freezes it: absolute paths, resolved tickets. Only the engine can add to it, and nothing is removed. */
export interface Batch extends Pick<Parties, ReviewerParty> {
  readonly name: string;
  readonly tracker: TrackerSpec;
  readonly repos: Readonly<Record<string, RepoSpec>>;
  readonly agent: AgentSpec;
  readonly oracle?: OracleSpec;
  readonly sandbox: SandboxMode;
  readonly sandboxPolicy?: SandboxPolicy | undefined;
  /** The places that secrets come from, never their values. */
  readonly secrets?: SecretSpecs | undefined;
  readonly limits: Limits;
  readonly heals?: HealsSpec | undefined;
  readonly discoveries?: { readonly otherRepositories: boolean } | undefined;
  readonly protect: readonly string[];
  /** The batch's finish line, which discovered tickets inherit; see `finishLineOf`. */
  readonly finish?: readonly StepSpec[] | undefined;
  /** The test command that each repository named at its base, if the batch names no finish line. */
  readonly testCommands?: TestCommands | undefined;
  readonly transients?: readonly TransientSpec[] | undefined;
  /** What happens while a base is broken; absent: freeze. */
  readonly onBroken?: z.infer<typeof OnBroken> | undefined;
  /** When changes are proven; absent: by where the base is. */
  readonly proof?: ProofSpec | undefined;
  /** Who approves changes of what judges; absent: by the finish line. */
  readonly judge?: JudgeSpec | undefined;
  /** What a ticket must have before a claimed blocker leaves it to a person; absent: nothing. */
  readonly gated?: z.infer<typeof Gated> | undefined;
  /** What a failure of nothing but flaky tests of the base means; absent: excuse. */
  readonly flaky?: z.infer<typeof Flaky> | undefined;
  /** How commits that land look; absent: the defaults. */
  readonly commit?: CommitSpec | undefined;
  /** The boundaries that the batch file sets. */
  readonly bound?: BoundSpec | undefined;
  /** All boundaries by repository, as they were at the bases when the run began; absent if there are none. */
  readonly bounds?: Bounds | undefined;
  /** Thresholds of the behaviour signals, and what happens when one fails; absent: the defaults. */
  readonly behaviour?: BehaviourSpec | undefined;
  /** The command guard in workers; absent: on, with the defaults. */
  readonly guard?: GuardSpec | undefined;
  /** How tickets are worked by their complexity; absent: all alike. */
  readonly complexity?: Routes | undefined;
  /** The repetition of live checks; absent: the default. */
  readonly live?: z.infer<typeof LiveSpec> | undefined;
  readonly tickets: readonly Ticket[];
}
