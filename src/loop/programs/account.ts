import { accountName, accountsOf, type Party } from "../../domain/batch/party.ts";
import type { RunFact } from "../../domain/run/event.ts";
import { type RunState, ticketOf } from "../../domain/run/state.ts";
import { accountAt, currentAccount } from "../../domain/schedule/accounts.ts";
import { escalatedTo } from "../../domain/schedule/remediation.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { formatUtc } from "../../domain/values/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StepSecrets } from "../../ports/secrets.ts";

/** The services that choose an account. */
interface AccountContext {
  readonly clock: Pick<Clock, "now">;
  state(): RunState;
  /** Records a fact of the run; false if it is too late for it. */
  report(fact: RunFact): boolean;
}

/**
 * Waits until the key of the account that a party uses next can be fetched, if it is a secret. Called before an agent or a
 * question is announced, so that a missing key fails no attempt. Rejects as `StepSecrets.fetch` does.
 */
export async function fetchKey(
  { state, clock, stepSecrets }: Omit<AccountContext, "report"> & { readonly stepSecrets?: StepSecrets },
  party: Party,
  { signal, ticket }: { readonly signal: AbortSignal; readonly ticket?: TicketId },
): Promise<void> {
  const now = state();
  const spec = now.batch[party];
  if (spec === undefined || spec.kind === "command") return;
  const name = accountsOf(spec)[escalated(now, ticket, clock.now()) ?? accountAt(now, party, clock.now())]?.apiKeySecret;
  if (name !== undefined) await stepSecrets?.fetch([`{secret:${name}}`], signal);
}

/** The number of an account, if it is not the first. */
export interface OfAccount {
  readonly account?: number;
}

/**
 * The account that the next program of a party uses, by its number: the first that is not rate limited. Reports a switch. Called
 * right before the program starts. The agent of a ticket that was escalated has the account to which it was, and switches no other's.
 */
export function takeAccount({ state, clock, report }: AccountContext, party: Party, ticket?: TicketId): OfAccount {
  const now = state();
  const own = escalated(now, ticket, clock.now());
  if (own !== undefined) return { account: own };
  const [from, to] = [currentAccount(now, party), accountAt(now, party, clock.now())];
  const spec = now.batch[party];
  const taken = to === 0 ? {} : { account: to };
  if (from === to || spec === undefined || spec.kind === "command") return taken;
  const accounts = accountsOf(spec);
  const nameOf = (account: number) => plainText(accountName(accounts, account), 200);
  const limit = now.rateLimited?.[party]?.[from];
  const isLimited = limit !== undefined && limit.until > clock.now();
  const why = isLimited ? `${nameOf(from)} is rate limited until ${formatUtc(limit.until)}` : `${nameOf(to)} is free again`;
  report({ type: "account-switched", party, from, to, name: nameOf(to), why });
  return taken;
}

/** The account to which a ticket was escalated, unless its API refuses it now. */
function escalated(state: RunState, ticket: TicketId | undefined, now: number): number | undefined {
  const account = ticket === undefined ? undefined : escalatedTo(ticketOf(state, ticket));
  const limit = account === undefined ? undefined : state.rateLimited?.agent?.[account];
  return limit !== undefined && limit.until > now ? undefined : account;
}
