import { z } from "zod";
import { AgentSpec, ReviewerSpec } from "../batch/party.ts";
import { Argv } from "../batch/prepare-command.ts";
import { RepoSpec } from "../batch/repo-spec.ts";
import { BatchFile } from "../batch/schema.ts";
import { minutes, usd } from "../batch/values.ts";

/** Stands for an iteration's number in the path of its regression case. */
export const NUMBER = "{n}";
/** Stands for a file's path in the command that runs it. */
export const CASE_FILE = "{file}";

const globs = z.array(z.string().min(1).max(400)).min(1).max(200).readonly();
const path = z
  .string()
  .max(300)
  .regex(/^[\w.{][\w.{}-]*(?:\/[\w.{][\w.{}-]*)*$/, "use a relative path of letters, digits, '.', '_' and '-'")
  .refine((text) => !text.split("/").some((part) => part === ".." || part === "." || part === ".git"), "must lead no folder up");

/** The front matter of a goal file, as a person writes it. */
export const GoalSpec = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][\w-]{0,19}$/, "use 1 to 20 letters, digits, '-' or '_'"),
  repo: RepoSpec,
  scope: globs,
  smoke: z.array(Argv).max(10).readonly().default([]),
  checks: z.array(Argv).max(10).readonly().default([]),
  regression: z.strictObject({
    path: path.refine((text) => text.split(NUMBER).length === 2, `must hold ${NUMBER} once`),
    command: Argv.refine((words) => words.some((word) => word.includes(CASE_FILE)), `must name ${CASE_FILE}`),
  }),
  budget: z.strictObject({ usdPerDay: usd.default(150), usdPerIteration: usd.default(5) }).prefault({}),
  minutesBetween: z
    .number()
    .min(0)
    .max(7 * 24 * 60)
    .default(30),
  emptyInARow: z.number().int().min(1).max(20).default(3),
  attempts: z.number().int().min(1).max(20).default(3),
  minutesPerAttempt: minutes.default(30),
  agents: z.strictObject({
    finder: z.union([AgentSpec, z.array(AgentSpec).min(1).max(2).readonly()]),
    designer: AgentSpec,
    mender: AgentSpec,
    verifier: ReviewerSpec,
  }),
  log: path.optional(),
  sandbox: BatchFile.shape.sandbox,
  secrets: BatchFile.shape.secrets,
  protect: BatchFile.shape.protect,
  hosts: z.record(z.string(), z.array(z.unknown()).readonly()).optional(),
});
export type GoalSpec = z.infer<typeof GoalSpec>;

/** A goal: its settings, and in words what is to be improved. */
export interface Goal extends GoalSpec {
  readonly body: string;
}

/** The finder of an iteration: two take turns. */
export function finderFor({ agents: { finder } }: Pick<Goal, "agents">, n: number): AgentSpec {
  if (!Array.isArray(finder)) return finder as AgentSpec;
  return finder[n % finder.length] as AgentSpec;
}

/** The path of an iteration's regression case. */
export function casePath({ regression }: Pick<Goal, "regression">, n: number | "attack"): string {
  return regression.path.replace(NUMBER, typeof n === "number" ? String(n).padStart(4, "0") : n);
}

/** The command that runs a case. */
export function caseCommand({ regression: { command } }: Pick<Goal, "regression">, file: string): Argv {
  return command.map((word) => word.replaceAll(CASE_FILE, file));
}
