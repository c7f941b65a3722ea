import { HostSpec } from "@loopdash/model-gateway";
import type { Allowance } from "@loopdash/test-evidence";
import { z } from "zod";
import type { Bounds } from "../bound/bound.ts";
import type { Complexity } from "../complexity/classes.ts";
import { RepoId, TicketId } from "../values/ids.ts";
import { Allow, Fixes, RedFirst } from "./allow-spec.ts";
import { BehaviourSpec } from "./behaviour-spec.ts";
import { BoundSpec } from "./bound-spec.ts";
import { CommitSpec } from "./commit-spec.ts";
import { ComplexitySpec, type Routes, TicketComplexity } from "./complexity-spec.ts";
import { PROTECT_DEFAULTS } from "./default-protect.ts";
import { GuardSpec } from "./guard-spec.ts";
import { HealsLimit, HealsSpec } from "./heals-spec.ts";
import { Flaky, Gated, LiveSpec, OnBroken } from "./live-spec.ts";
import { NotifySpec } from "./notify-spec.ts";
import { AgentSpec, type Parties, type ReviewerParty, ReviewerSpec, SecondReviewerSpec } from "./party.ts";
import { Argv, type TestCommands } from "./prepare-command.ts";
import { JudgeSpec, ProofSpec } from "./proof-spec.ts";
import { RepoSpec } from "./repo-spec.ts";
import { SecretSpecs } from "./secret-spec.ts";
import { type Contract, FinishLine, type StepSpec } from "./step-spec.ts";
import { TrackerSpec } from "./tracker-spec.ts";
import { TransientSpec } from "./transient-spec.ts";
import { minutes, name, usd } from "./values.ts";

const ticketId = TicketId.describe("Letters, digits, '-', '_' and single dots, at most 64; names its folder and branch");
const title = z.string().trim().min(1).max(200);

const contractPath = z.string().min(1).max(400);

/** A ticket in the batch file. With a ticket folder an id is enough: missing values come from the folder. */
export const TicketSpec = z.strictObject({
  id: ticketId,
  title: title.optional().describe("The task in one line; not needed for a ticket of a tracker"),
  body: z.string().max(64_000).default("").describe("What the agent is told beside the title"),
  repo: RepoId.optional().describe("A key of repos; not needed if there is only one"),
  dependsOn: z.array(TicketId).readonly().default([]).describe("Ids of tickets that must be done first"),
  exclusive: z
    .array(name)
    .readonly()
    .default([])
    .describe("Names of things that one ticket at a time may use, among all runs of your user on this machine"),
  finish: FinishLine.optional().describe("Its own finish line"),
  allow: Allow.optional().describe("What it may change that others may not"),
  fixes: Fixes.optional(),
  redFirst: RedFirst.optional(),
  complexity: TicketComplexity.optional(),
  contract: contractPath.optional().describe("Its contract: a Markdown file below this file's folder (docs/use/contracts.md)"),
});
export type TicketSpec = z.infer<typeof TicketSpec>;

/** A custom oracle in place of the built-in one. */
export const OracleSpec = z
  .strictObject({
    command: Argv.describe(
      "A program, frozen at the start; its last argument is the batch to judge. Exit 0 done, 1 not done, 2 cannot judge",
    ),
    reads: z
      .enum(["tracker", "elsewhere"])
      .default("tracker")
      .describe("Whether it reads the tracker in its batch; one that does not cannot be tested with made-up trackers"),
  })
  .describe("A program that says whether the batch is done, in place of the built-in oracle");
export type OracleSpec = z.infer<typeof OracleSpec>;

/** Every bound of a run. `decide` or the executor reads each of them. */
export const Limits = z.strictObject({
  workers: z.number().int().min(1).max(64).default(4).describe("Agents at a time, and commands of check and verify at a time"),
  attempts: z
    .number()
    .int()
    .min(1)
    .max(20)
    .default(3)
    .describe("Failed attempts after which a ticket is stalled; those that a stop cut off do not count"),
  heals: HealsLimit.optional(),
  discoveries: z.number().int().min(0).max(100).default(5).describe("Tickets that agents may add to the run"),
  minutesPerAttempt: minutes.default(60).describe("Minutes before an agent is stopped"),
  silenceMinutes: minutes.default(10).describe("Minutes without output before an agent is stopped"),
  minutesPerPrepare: minutes.default(15).describe("Minutes before a prepare command is stopped"),
  prepareSilenceMinutes: minutes.default(5).describe("Minutes without output before a prepare command is stopped"),
  usdPerAttempt: usd.default(5).describe("Dollars for one attempt"),
  usdPerTicket: usd.default(15).describe("Dollars for all attempts of a ticket"),
  usdPerRun: usd.default(50).describe("Dollars for the run"),
  usdPerDay: usd.default(150).describe("Dollars for all runs of one day"),
  outageMinutes: z
    .number()
    .min(0)
    .max(7 * 24 * 60)
    .default(15)
    .describe("Minutes for which loopdash retries what it cannot reach before the run ends (docs/use/stops.md#an-outage)"),
  sharedFaults: z
    .number()
    .int()
    .min(0)
    .max(100)
    .default(3)
    .describe("Pauses for failures that several tickets share, whose attempts do not count; 0: never (docs/use/stops.md)"),
  diskGiB: z
    .number()
    .min(0.01)
    .max(10_000)
    .default(20)
    .describe("GiB that the worktree of an attempt, or the folders of a check, may take (docs/use/stops.md#a-full-disk)"),
  cacheGiB: z
    .number()
    .min(0)
    .max(10_000)
    .optional()
    .describe("GiB of all kept preparations; the least recently used go first; 0 keeps none; default: 20"),
  minutesPerRun: minutes
    .optional()
    .describe("Minutes after its first start at which the run ends, whatever is under way; default: never"),
  countOtherSessions: z
    .boolean()
    .default(false)
    .describe("True if usdPerDay includes other sessions on this machine (docs/use/stops.md#other-sessions)"),
});
export type Limits = z.infer<typeof Limits>;

export const SandboxMode = z
  .enum(["required", "auto", "off"])
  .describe('required refuses to start without a sandbox; auto uses one if there is one, else says "unsandboxed"; off uses none');
export type SandboxMode = z.infer<typeof SandboxMode>;

/** Paths and hosts that a batch opens in the sandbox beyond the standard ones. Frozen with the batch. */
export const SandboxPolicy = z.strictObject({
  read: z
    .array(z.string().min(1))
    .readonly()
    .default([])
    .describe("Folders, files and Unix sockets that agents and commands may read"),
  write: z.array(z.string().min(1)).readonly().default([]).describe("Folders that they may write"),
  hosts: z
    .record(name, z.array(HostSpec).readonly())
    .default({})
    .describe(
      "Hosts by the name of a step, or of prepare, agent, blocker (a claimed blocker's commands), adjudicator (docs/use/network.md)",
    ),
});
export type SandboxPolicy = z.infer<typeof SandboxPolicy>;

/** The batch file, as a person writes it. */
export const BatchFile = z.strictObject({
  $schema: z.string().optional().describe("Where editors find the schema of this file"),
  name: name.describe("Names the batch's runs: 1 to 40 letters, digits, spaces, '.', ':', '_' or '-'"),
  tracker: TrackerSpec.default({ kind: "local" }),
  repos: z
    .record(RepoId, RepoSpec)
    .refine((repos) => Object.keys(repos).length > 0, "name at least one repository")
    .describe("The repositories that tickets change"),
  agent: AgentSpec,
  reviewer: ReviewerSpec.optional(),
  secondReviewer: SecondReviewerSpec.optional(),
  oracle: OracleSpec.optional(),
  sandbox: SandboxMode.default("required"),
  sandboxPolicy: SandboxPolicy.optional().describe(
    "What the sandbox opens beyond the standard (docs/use/finish-line.md#what-an-agent-can-reach)",
  ),
  secrets: SecretSpecs.optional(),
  notify: NotifySpec.optional(),
  limits: Limits.prefault({}).describe("The bounds of a run"),
  discoveries: z
    .strictObject({
      otherRepositories: z
        .boolean()
        .describe("True if agents work on tickets found for another repository before a person lets them in"),
    })
    .optional()
    .describe("Tickets that agents find (docs/use/outbox.md#discoveries)"),
  heals: HealsSpec.optional().describe("Repairs of what agents are told (docs/use/self-heal.md)"),
  finish: FinishLine.optional().describe(
    "The finish line (docs/use/finish-line.md); default: gates, the repository's tests, review (if there is a reviewer), merge, assert",
  ),
  live: LiveSpec.optional().describe(
    "How a failed verify is repeated before an agent starts (docs/use/live-checks.md#landed-is-not-live)",
  ),
  onBroken: OnBroken.optional().describe(
    "A broken base (docs/use/live-checks.md#a-broken-base): freeze (default) lands nothing else on it, revert also reverts its landed change, continue lands on",
  ),
  flaky: Flaky.optional().describe(
    "Failures of nothing but tests that are flaky on the base: excuse (default) runs once more, count fails (docs/use/triage.md#flaky-tests)",
  ),
  gated: Gated.optional(),
  transients: z
    .array(TransientSpec)
    .max(50)
    .readonly()
    .default([])
    .describe(
      "Failures that pass by themselves, beside the built-in ones: the step is retried once (docs/use/live-checks.md#transients)",
    ),
  proof: ProofSpec.optional(),
  judge: JudgeSpec.optional(),
  protect: z
    .array(z.string().min(1))
    .readonly()
    .default([PROTECT_DEFAULTS])
    .describe(
      `Globs of paths that no change may touch, in any case; without a slash in every folder; "${PROTECT_DEFAULTS}": CI and the set-up of test runners (docs/use/finish-line.md#protected-paths)`,
    ),
  commit: CommitSpec.optional(),
  bound: BoundSpec.optional(),
  behaviour: BehaviourSpec.optional().describe(
    "Signals of agents' behaviour, and what happens when one fails (docs/use/behaviour.md)",
  ),
  guard: GuardSpec.optional().describe(
    "The command guard of agents; default: true, with its defaults; false: none (docs/use/guard.md#in-a-run)",
  ),
  complexity: ComplexitySpec.optional(),
  contracts: z.record(TicketId, contractPath).optional().describe("Contracts of tickets that this file does not list, by id"),
  tickets: z
    .array(TicketSpec)
    .readonly()
    .default([])
    .describe("The tickets; with another tracker, those of it to take (default: all)"),
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
  /** Who is told while nobody looks; absent: nobody. */
  readonly notify?: NotifySpec | undefined;
  readonly limits: Limits;
  readonly heals?: HealsSpec | undefined;
  readonly discoveries?: { readonly otherRepositories: boolean } | undefined;
  readonly protect: readonly string[];
  /** The batch's finish line, which discovered tickets inherit; see `defaultFinishLine`. */
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
