import { z } from "zod";
import { Argv } from "./argv.ts";
import { PlatformSpec } from "./platform-spec.ts";
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
export const vendorFields = {
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
