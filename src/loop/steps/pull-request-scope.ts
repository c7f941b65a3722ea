import { isDeepStrictEqual } from "node:util";
import type { PullRequestRules, PullRequestWait } from "../../domain/forge/next-move.ts";
import type { SeenPullRequest, TicketPullRequest } from "../../domain/forge/pull-request-fact.ts";
import type { LandingMessage } from "../../domain/forge/pull-request-text.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import type { KeyedQueue } from "../../domain/values/serial-queue.ts";
import { plainText } from "../../domain/values/text.ts";
import { ForgeUnavailable, type PastCheck, type PullRequests } from "../../ports/forge.ts";
import type { Repo } from "../../ports/vcs.ts";
import { AttemptOver, type StepScope } from "../programs/scope.ts";
import type { Built, StepContext } from "./step.ts";

/** The pull requests of a repository, and the batch's rules for them. */
export interface PullRequestTarget {
  readonly pulls: PullRequests;
  readonly rules: PullRequestRules;
  /** The histories of checks on commits of the base, by commit and names: an engine asks for each once. */
  readonly histories: Map<string, readonly PastCheck[]>;
}

/** The step's view of the finish line. */
export interface PullRequestNeeds extends PullRequestTarget {
  readonly repo: Repo;
  /** The branch of the ticket at the forge. */
  readonly branch: string;
  /** The candidate that was checked last. */
  readonly checked: Built;
  /** The title of the pull request, and the rest of the message of the commit that lands. */
  message(): LandingMessage;
  /** The text of the pull request of a candidate on this base, in the form of the template if there is one. Markdown. */
  text(baseSha: string, template: string | undefined): string;
  /** True if a person has rewritten the ticket since the reviewer passed the candidate. */
  isOutdated(): boolean;
  /** Builds a candidate on the base tip and runs the steps before `merge` on it. Throws AttemptOver if one fails. */
  checkAgain(): Promise<Built>;
}

/** The context of landings by pull requests. */
export type PullRequestContext = Pick<StepContext, "clock" | "state" | "outages" | "files"> & {
  readonly merges: KeyedQueue;
  readonly run: RunId;
};

/** A pull request that is open, as the engine left it. */
export interface OpenPullRequest {
  readonly number: number;
  readonly head: string;
  /** The tip of the base on which it was built and checked. */
  readonly base: string;
  /** Present while failed checks are to be started again and the forge does not start them yet. */
  readonly rerunWait?: PullRequestWait | undefined;
}

/** The ticket's pull request as the run knows it; undefined if it has none. */
export function knownPullRequest(
  { state }: Pick<PullRequestContext, "state">,
  { ticket }: StepScope,
): TicketPullRequest | undefined {
  return ticketById(state(), ticket.id).pullRequest;
}

/** Asks the forge, and waits out its outages and its rate limits. A call that takes the signal ends with it. */
export function ask<T>(
  { outages }: Pick<PullRequestContext, "outages">,
  { signal }: Pick<StepScope, "signal">,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return outages.persist("forge", () => call(signal), { signal, isOutage: (error) => error instanceof ForgeUnavailable });
}

/** The end of an attempt whose next step is a person's. */
export function gate(scope: StepScope, { number, step }: { readonly number: number; readonly step: string }): AttemptOver {
  mustAnnounce(scope, { type: "pull-request-gated", number, step: plainText(step, 600) });
  return new AttemptOver({ outcome: "gated" });
}

/** Reports what a reading shows, if it is not what the last one showed. The end of the same wait is told once. */
export function reportReading(ctx: Pick<PullRequestContext, "state">, scope: StepScope, seen: SeenPullRequest): void {
  const { waitsUntil: _, ...before } = knownPullRequest(ctx, scope)?.seen ?? {};
  const { waitsUntil: __, ...now } = seen;
  if (!isDeepStrictEqual(before, now)) scope.announce({ type: "pull-request-read", ...seen });
}

/** Records a fact. Ends the attempt if it is not admitted. */
export function mustAnnounce(scope: StepScope, fact: Parameters<StepScope["announce"]>[0]): void {
  if (!scope.announce(fact)) throw new AttemptOver({ outcome: "stopped" });
}
