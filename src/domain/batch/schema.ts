import { z } from "zod";
import { RepoId, TicketId } from "../ids.ts";

/** A program and its arguments. Never a shell line: nothing here is ever parsed by a shell. */
export const Argv = z.array(z.string().min(1)).min(1).readonly();
export type Argv = z.infer<typeof Argv>;

const name = z.string().regex(/^[\w][\w .:-]{0,39}$/, "use 1 to 40 letters, digits, spaces, '.', ':', '_' or '-'");
const minutes = z.number().positive().max(7 * 24 * 60);
const usd = z.number().nonnegative();

const commandStep = { command: Argv, minutes: minutes.optional() };

/** One entry of a finish line. `minutes` bounds a command; default: `limits.minutesPerAttempt`. */
export const StepSpec = z.discriminatedUnion("step", [
  z.strictObject({ step: z.literal("gates") }),
  z.strictObject({ step: z.literal("check"), name: name.default("check"), ...commandStep }),
  z.strictObject({ step: z.literal("merge") }),
  z.strictObject({ step: z.literal("verify"), name: name.default("verify"), ...commandStep }),
  z.strictObject({ step: z.literal("assert") }),
]);
export type StepSpec = z.infer<typeof StepSpec>;
export type StepKind = StepSpec["step"];

/** What runs when a batch names no finish line. `assert` is appended where it is missing. */
export const DEFAULT_FINISH: readonly StepSpec[] = [{ step: "gates" }, { step: "merge" }, { step: "assert" }];

const FinishLine = z.array(StepSpec).min(1).readonly();

export const TicketSpec = z.strictObject({
  id: TicketId,
  title: z.string().trim().min(1).max(200).optional(),
  body: z.string().max(64_000).default(""),
  repo: RepoId.optional(),
  dependsOn: z.array(TicketId).readonly().default([]),
  exclusive: z.array(name).readonly().default([]),
  finish: FinishLine.optional(),
});

/** Where a repository is and how a fresh worktree of it is made ready. */
export const RepoSpec = z.strictObject({
  path: z.string().min(1),
  base: z.string().min(1).default("main"),
  prepare: z.array(Argv).readonly().default([]),
});
export type RepoSpec = z.infer<typeof RepoSpec>;

/** A scripted or home-made agent: any program. Free unless `usdPerAttempt` says what one try costs. */
export const AgentSpec = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("command"), command: Argv, usdPerAttempt: usd.optional() }),
]);
export type AgentSpec = z.infer<typeof AgentSpec>;

/** `path` names a folder of Markdown tickets; without it the inline tickets seed an embedded tracker. */
export const TrackerSpec = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("local"), path: z.string().min(1).optional() }),
]);
export type TrackerSpec = z.infer<typeof TrackerSpec>;

/** Every bound of a run. Each is read by `decide` or by the executor; none is decoration. */
export const Limits = z.strictObject({
  workers: z.number().int().min(1).max(64).default(4),
  attempts: z.number().int().min(1).max(20).default(3),
  heals: z.number().int().min(0).max(10).default(2),
  discoveries: z.number().int().min(0).max(100).default(5),
  minutesPerAttempt: minutes.default(60),
  silenceMinutes: minutes.default(10),
  usdPerAttempt: usd.default(5),
  usdPerTicket: usd.default(15),
  usdPerRun: usd.default(50),
  usdPerDay: usd.default(150),
});
export type Limits = z.infer<typeof Limits>;

export const SandboxMode = z.enum(["required", "auto", "off"]);
export type SandboxMode = z.infer<typeof SandboxMode>;

/** The batch file, as a person writes it. */
export const BatchFile = z.strictObject({
  $schema: z.string().optional(),
  name,
  tracker: TrackerSpec.default({ kind: "local" }),
  repos: z.record(RepoId, RepoSpec).refine((repos) => Object.keys(repos).length > 0, "name at least one repository"),
  agent: AgentSpec,
  sandbox: SandboxMode.default("required"),
  limits: Limits.prefault({}),
  finish: FinishLine.optional(),
  protect: z.array(z.string().min(1)).readonly().default([]),
  tickets: z.array(TicketSpec).readonly().default([]),
});
export type BatchFile = z.infer<typeof BatchFile>;

/** A ticket with everything resolved: title, body and dependencies from the tracker, finish line inherited. */
export interface Ticket {
  readonly id: TicketId;
  readonly title: string;
  readonly body: string;
  readonly repo: RepoId;
  readonly dependsOn: readonly TicketId[];
  readonly exclusive: readonly string[];
  readonly finish: readonly StepSpec[];
}

/** The batch as a run freezes it: absolute paths, tickets resolved. It may only grow, and only by the engine. */
export interface Batch {
  readonly name: string;
  readonly tracker: TrackerSpec;
  readonly repos: Readonly<Record<string, RepoSpec>>;
  readonly agent: AgentSpec;
  readonly sandbox: SandboxMode;
  readonly limits: Limits;
  readonly protect: readonly string[];
  readonly tickets: readonly Ticket[];
}
