import { z } from "zod";
import { PlatformSpec } from "./platform-spec.ts";
import { Argv, Variables } from "./prepare-command.ts";
import { SecretName } from "./secret-spec.ts";
import { usd } from "./values.ts";
import { vendorSpecs, vendorsWith } from "./vendors.ts";

const perMillion = usd.describe("Dollars per million tokens");

const Price = z
  .strictObject({
    model: z.string().min(1).max(200).describe("The model's name; * stands for any characters"),
    input: perMillion,
    output: perMillion,
    cacheRead: perMillion,
    cacheWrite: perMillion,
    maxOutput: z.number().int().positive().optional().describe("Tokens that it can write at most in one answer"),
  })
  .describe("The price of a model; comes before the built-in list, and is required for a model that is not in it");

const apiKeySecret = SecretName.optional().describe(
  "The secret that is the key or token, in place of a variable: loopdash adds it to requests, and no agent ever sees it",
);

/** Another account or model of the same program. What it leaves out is as in the agent or reviewer that names it. */
const Fallback = z
  .strictObject({
    model: z.string().min(1).max(200).optional().describe("The model's name"),
    billing: z.enum(["api", "subscription"]).optional().describe("Who is billed"),
    apiKeyEnv: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "name an environment variable")
      .optional()
      .describe("The environment variable that holds its key or token"),
    apiKeySecret,
    platform: PlatformSpec.optional(),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Its API"),
    loginUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Where its login is refreshed"),
  })
  .refine(
    (account) => Object.keys(account).length > 0,
    "name what differs: model, billing, apiKeyEnv, apiKeySecret, platform, baseUrl or loginUrl",
  )
  .describe("An account or model that is used while those before it are rate limited");
export type Fallback = z.infer<typeof Fallback>;

/** Accounts that one agent or reviewer may have besides its own. */
const MOST_FALLBACKS = 8;

const SUBSCRIBED = vendorsWith(({ takesSubscription }) => takesSubscription === true).join(", ");

const TOKENS = vendorsWith(({ takesToken }) => takesToken === true).join(", ");

/** Common fields of all vendors' programs. */
const vendorFields = {
  model: z.string().min(1).max(200).optional().describe("The model's name; default: the program's own choice"),
  effort: z.enum(["low", "medium", "high"]).optional().describe("How much the model thinks"),
  turns: z.number().int().min(1).max(10_000).optional().describe("Answers of the model that one attempt may take"),
  program: z.string().min(1).optional().describe("The program's path; default: found on PATH"),
  billing: z
    .enum(["api", "subscription"])
    .default("api")
    .describe(
      `Who is billed: the account of an API key, or a subscription, by the program's login on this machine (${SUBSCRIBED} only)`,
    ),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "name an environment variable")
    .optional()
    .describe(
      `The environment variable that holds the key, or a subscription's long-lived token (${TOKENS} only); no agent ever sees it`,
    ),
  apiKeySecret,
  platform: PlatformSpec.optional(),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("The model's API; default: the vendor's own, or the platform's"),
  loginUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Where the login of a subscription is refreshed; default: the vendor's own"),
  prices: z.array(Price).readonly().default([]).describe("Prices of models; they come before the built-in list"),
  fallback: z
    .array(Fallback)
    .max(MOST_FALLBACKS)
    .readonly()
    .default([])
    .describe("Accounts and models that are used, in this order, while those before them are rate limited"),
};

/** The program that works a ticket: any command, or a vendor's coding agent. */
export const AgentSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("command").describe("Any program"),
      command: Argv,
      usdPerAttempt: usd.optional().describe("Dollars that one attempt costs; free if it is left out"),
    }),
    ...vendorSpecs(vendorFields),
  ])
  .describe("The program that works a ticket");
export type AgentSpec = z.infer<typeof AgentSpec>;

/** An agent that is a vendor's program. */
export type VendorAgentSpec = Exclude<AgentSpec, { kind: "command" }>;

/** Severities of a finding, worst first. */
export const SEVERITIES = ["critical", "high", "medium", "low"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Common fields of all reviewers. */
const review = {
  blocking: z.enum(SEVERITIES).default("high").describe("The least severity of a finding that fails the step"),
  allowSameVendor: z.boolean().default(false).describe("Lets it be of the agent's vendor; never of the same model"),
  usdPerReview: usd
    .optional()
    .describe("Dollars that one question may cost; default: limits.usdPerAttempt, nothing for a command"),
  canaryEvery: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe("After so many questions it is given a change with a planted defect, to see whether it reads; 0: never"),
};

/** The reviewer: it reviews, attacks and rules on blockers. It reads a checkout that it cannot write. */
export const ReviewerSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("command").describe("Any program: it is told of its question by LOOPDASH_PROMPT and answers on stdout"),
      command: Argv,
      env: Variables.optional().describe(
        "Variables for its rulings on blockers alone; {secret:name} is for a program in the batch file's folder",
      ),
      ...review,
    }),
    ...vendorSpecs({ ...vendorFields, ...review }),
  ])
  .describe("The model that reviews changes and rules on blockers");
export type ReviewerSpec = z.infer<typeof ReviewerSpec>;

/** The second reviewer. Its keys are those of the reviewer; `checkReviewer` refuses those that it has no use for. */
export const SecondReviewerSpec = ReviewerSpec.describe(
  "A model of its own for the second of two reviews, and nothing else; default: the reviewer reads twice",
);

/**
 * Dollars that one question to the reviewer may cost: the batch's number, or else nothing for a command and an attempt's maximum
 * for a vendor.
 */
export function reviewUsd(reviewer: ReviewerSpec, limits: { readonly usdPerAttempt: number }): number {
  return reviewer.usdPerReview ?? (reviewer.kind === "command" ? 0 : limits.usdPerAttempt);
}
