import { z } from "zod";
import { PlatformSpec, platformName } from "./platform-spec.ts";
import { Argv, Variables } from "./prepare-command.ts";
import { SecretName } from "./secret-spec.ts";
import { usd } from "./values.ts";
import { VENDORS, vendorSpecs, vendorsWith } from "./vendors.ts";

/** The owners of models: the agents, the reviewer and the second reviewer. Each is the key of a batch that names its program. */
export const PARTIES = ["agent", "reviewer", "secondReviewer"] as const;
export type Party = (typeof PARTIES)[number];

/** A party that reviews changes. */
export type ReviewerParty = Exclude<Party, "agent">;
export const REVIEWER_PARTIES: readonly ReviewerParty[] = ["reviewer", "secondReviewer"];

/** The name of each party for people. */
export const PARTY_NAMES: Readonly<Record<Party, string>> = {
  agent: "agent",
  reviewer: "reviewer",
  secondReviewer: "second reviewer",
};

/** The part of a batch that names programs. */
export interface Parties {
  readonly agent?: AgentSpec | undefined;
  readonly reviewer?: ReviewerSpec | undefined;
  /** Gives the second of two reviews; absent: the reviewer gives both. */
  readonly secondReviewer?: ReviewerSpec | undefined;
}

/** True for a key of a batch that names a program. */
export function isParty(key: string): key is Party {
  return PARTIES.some((party) => party === key);
}

/** A program that a batch names, and the party that it is for. */
export interface PartyProgram {
  readonly party: Party;
  readonly spec: AgentSpec | ReviewerSpec;
}

/** Every program that a batch names. */
export function listPrograms(batch: Parties): readonly PartyProgram[] {
  return PARTIES.flatMap((party) => {
    const spec = batch[party];
    return spec === undefined ? [] : [{ party, spec }];
  });
}

/** The reviewer that a question goes to, as events keep it. */
export interface AskedReviewer {
  /** Present for the second reviewer. */
  readonly by?: "second";
}

/** The reviewer of a review step, a question or an answer: the first one, unless it says "second". */
export function reviewerParty({ by }: { readonly by?: "first" | "second" | undefined }): ReviewerParty {
  return by === "second" ? "secondReviewer" : "reviewer";
}

/** The inverse of `reviewerParty` for events and steps. */
export function askedReviewer(party: ReviewerParty): AskedReviewer {
  return party === "secondReviewer" ? { by: "second" } : {};
}

/** An agent or reviewer that is a vendor's program. */
export type VendorSpec = VendorAgentSpec | Exclude<ReviewerSpec, { kind: "command" }>;

/** The accounts of an agent or reviewer in the order in which they are used: its own, and then its `fallback`s. */
export function allAccounts<Spec extends VendorSpec>(spec: Spec): readonly Spec[] {
  return [spec, ...spec.fallback.map((account) => ({ ...withoutReplaced(spec, account), ...account }))];
}

/**
 * The settings of a program without those that an account replaces by a setting of another name: the source of its key, and its
 * API. An account that is billed in another way takes over neither the key nor the platform.
 */
function withoutReplaced<Spec extends VendorSpec>(spec: Spec, account: Fallback): Spec {
  const { apiKeyEnv, apiKeySecret, baseUrl, platform, ...rest } = spec;
  const isBilledAlike = (account.billing ?? spec.billing) === spec.billing;
  const keepsKey = isBilledAlike && account.apiKeyEnv === undefined && account.apiKeySecret === undefined;
  const keepsApi = account.platform === undefined && (isBilledAlike || platform === undefined);
  return { ...rest, ...(keepsKey ? { apiKeyEnv, apiKeySecret } : {}), ...(keepsApi ? { baseUrl, platform } : {}) } as Spec;
}

/** True if an account is used with the login that its program keeps on this machine. */
export function usesLogin(account: Pick<VendorSpec, "billing" | "apiKeyEnv" | "apiKeySecret">): boolean {
  return account.billing === "subscription" && account.apiKeyEnv === undefined && account.apiKeySecret === undefined;
}

/** The step for a person if the model's API refuses an account; undefined for an API key of the vendor's own. */
export function refusalAdvice(account: VendorSpec | undefined, refused: "authentication" | "permission"): string | undefined {
  if (account === undefined) return undefined;
  const { billing, kind, platform } = account;
  if (platform !== undefined) return `give ${platformName(platform)} credentials that it accepts, and that may use the model`;
  if (billing !== "subscription") return undefined;
  if (refused === "permission") return "name a model that the subscription allows, or another account";
  return usesLogin(account)
    ? `log in again (${VENDORS[kind].login ?? kind})`
    : "put a new token of the subscription in its place";
}

/** The number of accounts; a command has one. */
export function accountCount(spec: { readonly kind: string; readonly fallback?: readonly unknown[] } | undefined): number {
  return 1 + (spec?.fallback?.length ?? 0);
}

/** An account in words: its model, where its key comes from, and its host, as far as they differ from the first. */
export function accountName(accounts: readonly VendorSpec[], index: number): string {
  const [first] = accounts;
  const account = accounts[index];
  if (first === undefined || account === undefined) return `account ${index + 1}`;
  const model = account.model ?? `${account.kind}'s own model`;
  const differs = (settingOf: (spec: VendorSpec) => string | undefined) =>
    accounts.some((other) => settingOf(other) !== settingOf(first));
  const parts = [
    ...(differs((spec) => spec.model) ? [model] : []),
    ...(differs(keyName) ? [keyName(account)] : []),
    ...(differs(apiName) ? [apiName(account)] : []),
  ];
  return parts.length === 0 ? `account ${index + 1}` : parts.join(", ");
}

function keyName(account: VendorSpec): string {
  const { kind, apiKeyEnv, apiKeySecret } = account;
  if (usesLogin(account)) return `the login of ${kind}`;
  return apiKeySecret === undefined ? `the key in ${apiKeyEnv ?? "nothing"}` : `the key in the secret "${apiKeySecret}"`;
}

function apiName({ baseUrl, platform }: VendorSpec): string {
  if (baseUrl !== undefined) return new URL(baseUrl).host;
  return platform === undefined ? "its vendor's API" : platformName(platform);
}

const perMillion = usd.describe("Dollars per million tokens");

const Price = z
  .strictObject({
    model: z.string().min(1).max(200).describe("Its name; * stands for any characters"),
    input: perMillion,
    output: perMillion,
    cacheRead: perMillion,
    cacheWrite: perMillion,
    maxOutput: z.number().int().positive().optional().describe("Most tokens of one answer"),
  })
  .describe("The price of a model; comes before the built-in list, and is required for a model that is not in it");

const apiKeySecret = SecretName.optional().describe("The secret with the key or token (docs/use/models.md#the-key)");

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
type Fallback = z.infer<typeof Fallback>;

/** Accounts that one agent or reviewer may have besides its own. */
const MOST_FALLBACKS = 8;

const SUBSCRIBED = vendorsWith(({ takesSubscription }) => takesSubscription === true).join(", ");

const TOKENS = vendorsWith(({ takesToken }) => takesToken === true).join(", ");

/** Common fields of all vendors' programs. */
const vendorFields = {
  model: z.string().min(1).max(200).optional().describe("The model; default: the program's own; opencode needs one"),
  effort: z.enum(["low", "medium", "high"]).optional().describe("How much it thinks"),
  turns: z.number().int().min(1).max(10_000).optional().describe("Answers of the model after which an attempt ends"),
  program: z.string().min(1).optional().describe("Its path; default: found on PATH (docs/use/agents.md)"),
  billing: z
    .enum(["api", "subscription"])
    .default("api")
    .describe(
      `An API key's account, or a subscription, by the program's login here (${SUBSCRIBED}; docs/use/agents.md#subscriptions)`,
    ),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "name an environment variable")
    .optional()
    .describe(`The variable with the key, or a subscription's long-lived token (${TOKENS}); no agent sees it`),
  apiKeySecret,
  platform: PlatformSpec.optional(),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Another place of the same API (docs/use/models.md)"),
  loginUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Where a subscription's login is refreshed; default: at the vendor"),
  prices: z.array(Price).readonly().default([]).describe("Prices of models, before those of the built-in list"),
  fallback: z
    .array(Fallback)
    .max(MOST_FALLBACKS)
    .readonly()
    .default([])
    .describe("Accounts and models for the time when those before them are rate limited (docs/use/agents.md#several-accounts)"),
};

/** The program that works a ticket: any command, or a vendor's coding agent. */
export const AgentSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("command").describe("Any program (docs/use/finish-line.md#what-an-agent-gets)"),
      command: Argv.describe("Program and arguments; a file beside this file is found"),
      usdPerAttempt: usd.optional().describe("Dollars that one attempt costs; default: free, and no cap on money binds it"),
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
  allowSameVendor: z.boolean().default(false).describe("True if it may be of the agent's vendor; never the same model"),
  usdPerReview: usd.optional().describe("Dollars for one question; default: limits.usdPerAttempt, nothing for a command"),
  canaryEvery: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe("After so many questions it gets a change with a planted defect; 0: never"),
};

/** The reviewer: it reviews, attacks and rules on blockers. It reads a checkout that it cannot write. */
export const ReviewerSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("command").describe("Any program (docs/use/reviewer.md#a-program-of-your-own)"),
      command: Argv,
      env: Variables.optional().describe("Variables for rulings on blockers (docs/use/secrets.md#the-reviewers-variables)"),
      ...review,
    }),
    ...vendorSpecs({ ...vendorFields, ...review }),
  ])
  .describe("Reviews changes and rules on claimed blockers (docs/use/reviewer.md)");
export type ReviewerSpec = z.infer<typeof ReviewerSpec>;

/** The second reviewer. Its keys are those of the reviewer; `checkReviewer` refuses those that it has no use for. */
export const SecondReviewerSpec = ReviewerSpec.describe(
  "Another model, for the second of two reviews; default: the reviewer reads twice",
);

/**
 * Dollars that one question to the reviewer may cost: the batch's number, or else nothing for a command and an attempt's maximum
 * for a vendor.
 */
export function reviewUsd(reviewer: ReviewerSpec, limits: { readonly usdPerAttempt: number }): number {
  return reviewer.usdPerReview ?? (reviewer.kind === "command" ? 0 : limits.usdPerAttempt);
}
