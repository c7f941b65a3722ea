import type { AgentSpec, Fallback, ReviewerSpec, VendorAgentSpec } from "./agent-spec.ts";
import { platformName } from "./platform-spec.ts";
import { VENDORS } from "./vendors.ts";

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
export function programsOf(batch: Parties): readonly PartyProgram[] {
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
export function reviewerOf({ by }: { readonly by?: "first" | "second" | undefined }): ReviewerParty {
  return by === "second" ? "secondReviewer" : "reviewer";
}

/** The inverse of `reviewerOf` for events and steps. */
export function askedReviewer(party: ReviewerParty): AskedReviewer {
  return party === "secondReviewer" ? { by: "second" } : {};
}

/** An agent or reviewer that is a vendor's program. */
export type VendorSpec = VendorAgentSpec | Exclude<ReviewerSpec, { kind: "command" }>;

/** The accounts of an agent or reviewer in the order in which they are used: its own, and then its `fallback`s. */
export function accountsOf<Spec extends VendorSpec>(spec: Spec): readonly Spec[] {
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

/** What a person does if the model's API refuses an account; undefined for an API key of the vendor's own. */
export function cureOf(account: VendorSpec | undefined, refused: "authentication" | "permission"): string | undefined {
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
