import { accountName, allAccounts, type Party, type ReviewerParty } from "../../domain/batch/party.ts";
import type { Argv } from "../../domain/batch/prepare-command.ts";
import type { Batch, Ticket } from "../../domain/batch/schema.ts";
import type { AgentEnding, AttemptOutcome, Evidence } from "../../domain/run/attempt-fact.ts";
import type { RunFact } from "../../domain/run/event.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import type { SuiteFact } from "../../domain/run/suite-fact.ts";
import { accountAt, currentAccount } from "../../domain/schedule/accounts.ts";
import { escalatedTo } from "../../domain/schedule/remediation.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { formatUtc } from "../../domain/values/time.ts";
import type { Clock, EngineClock } from "../../ports/clock.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Harness } from "../../ports/harness.ts";
import type { PreparedTrees } from "../../ports/prepared-trees.ts";
import type { AttemptFiles, RunFiles } from "../../ports/run-files.ts";
import type { StepSecrets } from "../../ports/secrets.ts";
import type { TestResultsReader } from "../../ports/test-results.ts";
import type { Outages } from "../concurrency/outages.ts";
import type { Rest } from "../concurrency/semaphore.ts";

/** The owner of programs: an attempt at a ticket, or the re-verification of a landed one. An abort ends all that runs. */
export interface Scope {
  readonly ticket: Ticket;
  /** Found in the environment of each of its processes. */
  readonly marker: string;
  readonly signal: AbortSignal;
  /** The reason of the abort; meaningful once the signal is aborted. */
  ending(): AgentEnding;
}

/** Programs that run beside the command of a check or a reviewer, by their purpose. */
const BESIDE = ["base", "proof", "new-tests", "trial"] as const;

/** The marker of what runs beside the other programs of a scope: each program at a time needs its own. */
export function besideMarker(marker: string, what: (typeof BESIDE)[number]): string {
  return `${marker}/${what}`;
}

/** All markers that programs of a scope with this marker may have. */
export function allMarkers(marker: string): readonly string[] {
  return [marker, ...BESIDE.map((what) => besideMarker(marker, what))];
}

/** A scope whose files exist, with the services that its steps need. */
export interface StepScope extends Scope {
  readonly files: AttemptFiles;
  /** Records a fact that must be on record before the step continues (law 5). False: it was not admitted; stop. */
  readonly announce: (fact: StepFact) => boolean;
  /** The train for which its commands run; absent if they run for its ticket alone. */
  readonly train?: Train;
  /** Steps that have used the one retry that a transient earns them; see PREPARE_STEP. */
  readonly retried: Set<number>;
  /** Absent if nothing that fails is retried. */
  readonly turn?: Turn;
}

/** Candidates that are checked together, by the last of them. */
export interface Train {
  /** In landing order. */
  readonly tickets: readonly TicketId[];
  /** The candidates that wait behind it. */
  readonly behind: () => number;
  /** Announces a part of the check for each of its tickets but the scope's own. */
  readonly announceToOthers: (fact: StepFact) => void;
}

/** A step at work. */
export interface Turn {
  /** Its index in the finish line, or PREPARE_STEP. */
  readonly step: number;
  readonly name: string;
  readonly rest: Rest;
}

type StepFactType =
  | "activity"
  | "approval-awaited"
  | "base-failing"
  | "ci-fixed"
  | "ci-pushed"
  | "ci-triaged"
  | "connection-blocked"
  | "day-spend-unknown"
  | "landing-gated"
  | "merge-intended"
  | "merge-landed"
  | "merge-waiting"
  | "others-spent-today"
  | "preparation-awaited"
  | "prepared"
  | "prepare-failed"
  | "prepare-started"
  | "pull-request-gated"
  | "pull-request-intended"
  | "pull-request-merging"
  | "pull-request-opened"
  | "pull-request-read"
  | "pull-request-rerun"
  | "pull-request-words"
  | "reviewer-answered"
  | "reviewer-asked"
  | "step-part-started"
  | "step-retried"
  | "steps-repeated";

type WithoutAttempt<T> = T extends RunFact ? Omit<T, "ticket" | "fence"> : never;

/** A fact from a step. The caller knows the attempt, and adds it. */
export type StepFact = WithoutAttempt<Extract<RunFact, { type: StepFactType }>>;

/** The end of an attempt: its outcome and, if it failed, the evidence for the next one. */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  readonly evidence?: Evidence;
  /** It landed, and its live check waits for an earlier environment of the base. */
  readonly held?: true;
  /** It has only read the checks of the branch. */
  readonly readOnly?: true;
  /** Its change was kept out, because its ticket has to be planned first. */
  readonly unplanned?: true;
  /** The commit at which the engine left the ticket's branch, if no other fact has told it. */
  readonly tip?: string;
}

/** The outcome of an attempt that was ended from outside. */
export function abortedEnd(scope: Pick<Scope, "ending">): AttemptEnd {
  switch (scope.ending()) {
    case "killed-by-person":
      return {
        outcome: "killed",
        evidence: { step: "agent", name: "agent", summary: "a person killed this worker", detail: "" },
      };
    case "gated-by-person":
      return { outcome: "gated" };
    case "remedied":
      return {
        outcome: "failed",
        evidence: { step: "agent", name: "behaviour", summary: "its agent was ended for its behaviour", detail: "" },
      };
    case "closed-by-person":
      return { outcome: "closed" };
    default:
      return { outcome: "stopped" };
  }
}

/** Ends an attempt early, from any depth. Caught in one place: `work`. */
export class AttemptOver extends Error {
  override readonly name = "AttemptOver";
  readonly end: AttemptEnd;
  constructor(end: AttemptEnd) {
    super(end.evidence?.summary ?? end.outcome);
    this.end = end;
  }
}

/** Cancelling a waiting step has the same outcome as cancelling a running one. */
export function overIfAborted(scope: Pick<Scope, "ending" | "signal">): (error: unknown) => never {
  return (error) => {
    throw error === scope.signal.reason ? new AttemptOver(abortedEnd(scope)) : error;
  };
}

/** The scope of a measurement that others wait for. It keeps its permit: they hold a machine, and it might get none back. */
export function withoutRest({ turn, ...scope }: StepScope): StepScope {
  return turn === undefined ? scope : { ...scope, turn: { ...turn, rest: (idle) => idle() } };
}

/** The context that programs run in. */
export interface ProgramContext {
  readonly batch: Batch;
  readonly executor: Executor;
  readonly clock: EngineClock;
  readonly files: RunFiles;
  readonly testReports: TestResultsReader;
  /** The prompts of workers and the named transients; a heal may change them. */
  readonly harness: Harness;
  /** Kept preparations; absent if nothing can be kept. */
  readonly preparedTrees?: PreparedTrees;
  /** The environment of prepare, check and verify commands, from the allow-list. */
  readonly commandEnv: Readonly<Record<string, string>>;
  /** The PATH of commands and agents in repositories that want other toolchains than those of `commandEnv`. */
  readonly toolchainPaths: ReadonlyMap<string, string>;
  /**
   * Variables, PATH among them, with which version managers obey no file of a checkout, by repository: for commands that have a
   * secret or run outside the sandbox.
   */
  readonly carefulToolchains?: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The secrets of steps; absent if the batch has none. */
  readonly stepSecrets?: StepSecrets;
  /** True if agents and the commands of steps run in the sandbox. */
  readonly confined: boolean;
  /** True if the sandbox can lay a writable layer over a checkout; see Sandbox. */
  readonly layers: boolean;
  /** The place of the harness's scripts in an agent's sandbox; absent if it shows every folder at its own path. */
  readonly toolsPlace?: string;
  /** Files that the agent's command names: a confined agent may read them, wherever they are. */
  readonly agentFiles: readonly string[];
  /** The files of the batch's folder that a step's or a prepare command names: its sandbox shows them, read-only. */
  readonly commandFiles: (command: Argv) => readonly string[];
  /** Files that each reviewer's program needs to read; see agentFiles. */
  readonly reviewerFiles: Readonly<Record<ReviewerParty, readonly string[]>>;
  readonly outages: Outages;
  /** The state of the run. */
  state(): RunState;
  /** Reports a run of a check's command. */
  report(fact: SuiteFact): unknown;
}

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
  const name = allAccounts(spec)[escalated(now, ticket, clock.now()) ?? accountAt(now, party, clock.now())]?.apiKeySecret;
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
  const accounts = allAccounts(spec);
  const accountTitle = (account: number) => plainText(accountName(accounts, account), 200);
  const limit = now.rateLimited?.[party]?.[from];
  const isLimited = limit !== undefined && limit.until > clock.now();
  const why = isLimited
    ? `${accountTitle(from)} is rate limited until ${formatUtc(limit.until)}`
    : `${accountTitle(to)} is free again`;
  report({ type: "account-switched", party, from, to, name: accountTitle(to), why });
  return taken;
}

/** The account to which a ticket was escalated, unless its API refuses it now. */
function escalated(state: RunState, ticket: TicketId | undefined, now: number): number | undefined {
  const account = ticket === undefined ? undefined : escalatedTo(ticketById(state, ticket));
  const limit = account === undefined ? undefined : state.rateLimited?.agent?.[account];
  return limit !== undefined && limit.until > now ? undefined : account;
}
