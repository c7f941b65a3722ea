import type { Fallback, VendorAgentSpec } from "./agent-spec.ts";
import type { ReviewerSpec } from "./reviewer-spec.ts";

/** An agent or reviewer that is a vendor's program. */
export type VendorSpec = VendorAgentSpec | Exclude<ReviewerSpec, { kind: "command" }>;

/** The accounts of an agent or reviewer in the order in which they are used: its own, and then its `fallback`s. */
export function accountsOf<Spec extends VendorSpec>(spec: Spec): readonly Spec[] {
  return [spec, ...spec.fallback.map((account) => ({ ...ofSameBilling(spec, account), ...account }))];
}

/** A key is not a subscription's: an account that is billed in another way does not take over the variable. */
function ofSameBilling<Spec extends VendorSpec>(spec: Spec, { billing = spec.billing }: Pick<Fallback, "billing">): Spec {
  return billing === spec.billing ? spec : { ...spec, apiKeyEnv: undefined };
}

/** True if an account is used by the login that its program keeps on this machine. */
export function usesLogin({ billing, apiKeyEnv }: Pick<VendorSpec, "billing" | "apiKeyEnv">): boolean {
  return billing === "subscription" && apiKeyEnv === undefined;
}

/** The number of accounts; a command has one. */
export function accountCount(spec: { readonly kind: string; readonly fallback?: readonly unknown[] } | undefined): number {
  return 1 + (spec?.fallback?.length ?? 0);
}

/** An account in words: its model, the variable of its key, and its host, as far as they differ from the first. */
export function accountName(accounts: readonly VendorSpec[], index: number): string {
  const [first] = accounts;
  const account = accounts[index];
  if (first === undefined || account === undefined) return `account ${index + 1}`;
  const model = account.model ?? `${account.kind}'s own model`;
  const host = account.baseUrl === undefined ? "its vendor's API" : new URL(account.baseUrl).host;
  const differs = (key: "model" | "apiKeyEnv" | "baseUrl") => accounts.some((other) => other[key] !== first[key]);
  const parts = [
    ...(differs("model") ? [model] : []),
    ...(differs("apiKeyEnv") ? [usesLogin(account) ? `the login of ${account.kind}` : `the key in ${account.apiKeyEnv}`] : []),
    ...(differs("baseUrl") ? [host] : []),
  ];
  return parts.length === 0 ? `account ${index + 1}` : parts.join(", ");
}
