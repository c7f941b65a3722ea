import { accountCount, type Party } from "../batch/party.ts";
import type { RunState } from "../run/state.ts";
import type { RateLimit } from "./halt.ts";

type Accounts = Pick<RunState, "accounts" | "batch" | "rateLimited">;

/** The account that a party used last; the first is 0. */
export function currentAccount({ accounts }: Pick<RunState, "accounts">, party: Party): number {
  return accounts?.[party] ?? 0;
}

/** The account that a party uses now: the first that is not rate limited, or else the last one that it used. */
export function accountAt(state: Accounts, party: Party, now: number): number {
  const limits = accountRateLimits(state, party);
  const free = limits.findIndex((limit) => limit === undefined || limit.until <= now);
  return free < 0 ? currentAccount(state, party) : free;
}

/** The rate limit that ends first; undefined if an account of the party is free. */
export function firstToRecover(state: Accounts, party: Party, now: number): RateLimit | undefined {
  const limits = accountRateLimits(state, party).flatMap((limit) => (limit === undefined || limit.until <= now ? [] : [limit]));
  return limits.length < partyAccountCount(state, party) ? undefined : limits.toSorted((a, b) => a.until - b.until)[0];
}

/** True if a party has an account that is not rate limited besides this one. */
export function isAnotherFree(state: Accounts, party: Party, account: number, now: number): boolean {
  return accountRateLimits(state, party).some((limit, other) => other !== account && (limit === undefined || limit.until <= now));
}

/** The rate limit of each account of a party; undefined for one that is free. */
export function accountRateLimits(state: Accounts, party: Party): readonly (RateLimit | undefined)[] {
  return Array.from({ length: partyAccountCount(state, party) }, (_, account) => state.rateLimited?.[party]?.[account]);
}

/** The number of accounts of a party. */
export function partyAccountCount({ batch }: Pick<RunState, "batch">, party: Party): number {
  return accountCount(batch[party]);
}
