import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { askedReviewer, PARTY_NAMES, type ReviewerParty } from "../../domain/batch/party.ts";
import type { Ticket } from "../../domain/batch/schema.ts";
import type { Evidence, Question } from "../../domain/run/attempt-fact.ts";
import type { RunFact } from "../../domain/run/event.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import { isAnotherFree, partyAccountCount } from "../../domain/schedule/accounts.ts";
import { stopReach } from "../../domain/schedule/breaker.ts";
import { questionCap } from "../../domain/schedule/money.ts";
import { plannedTicket, serializeTicketText } from "../../domain/schedule/plan.ts";
import type { Fence } from "../../domain/values/ids.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import type { DayBudget } from "../../ports/day-budget.ts";
import type { Reviewer, ReviewerAnswer, ReviewerTask } from "../../ports/reviewer.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { Outages } from "../concurrency/outages.ts";
import { pause } from "../concurrency/wait.ts";
import { confineReviewer, opened } from "../programs/confine.ts";
import { protectedFiles } from "../programs/protected-files.ts";
import { reserveMoney } from "../programs/reserve-money.ts";
import { thinActivity, withSecrets } from "../programs/run-in.ts";
import {
  AttemptOver,
  abortedEnd,
  fetchKey,
  type OfAccount,
  type ProgramContext,
  type StepScope,
  takeAccount,
} from "../programs/scope.ts";
import { type Answer, type AnsweredFact, type Asked, type NoAnswer, type ReadAnswer, readAnswer } from "./answer.ts";
import { differences, readLastLine } from "./reviewer-traces.ts";
import { rulingVariables } from "./ruling-variables.ts";
import { openTrials } from "./try-out.ts";

/** The context of questions. */
export interface QuestionContext extends ProgramContext {
  /** Absent if the batch names no reviewer. */
  readonly reviewer?: Reviewer;
  /** Absent if the batch names no second reviewer. It answers second reviews, and nothing else. */
  readonly secondReviewer?: Reviewer;
  /** Texts of prompts/, by name, for reviewers, healers and agents that plan; no heal may change them. */
  readonly templates: Readonly<Record<"reviewer" | "adversary" | "adjudicator" | "healer" | "planner" | "plan", string>>;
  readonly dayBudget: DayBudget;
  /** Repeats what the engine itself calls. */
  readonly outages: Outages;
  /** The state that spending limits and the reviewer's availability are read from. */
  state(): RunState;
  /** Records a fact of the run; false if it is too late for it. */
  report(fact: RunFact): boolean;
}

/** The owner of a question: its cost is booked under the fence. */
export interface QuestionScope extends StepScope {
  readonly fence: Fence;
}

/** A question to a reviewer, and the parser of its answer. */
export interface Ask<T> {
  readonly question: Question;
  /** Default: the reviewer. */
  readonly party?: ReviewerParty;
  /** Names the log and the prompt's file, and the hosts that the batch opens to it. */
  readonly name: string;
  /** The commit whose pristine checkout it may read. */
  readonly commit: string;
  /** The commit whose attributes decide how its files are checked out; see Repo.checkout. */
  readonly attributesOf: string;
  readonly minutes: number;
  /**
   * The prompt. `ticket` is the ticket as people wrote it last. Each question has a fresh nonce, and an answer without it is
   * invalid. `checkout` is a folder's path.
   */
  readonly prompt: (options: { readonly ticket: Ticket; readonly nonce: string; readonly checkout: string }) => string;
  /** Reads the answer. */
  readonly read: (text: string, nonce: string) => ReadAnswer<T> | NoAnswer;
  /** Present if a defect was planted in the checkout. */
  readonly canary?: (value: T) => "seen" | "missed";
  /** Plants that defect in the checkout, before the reviewer reads it. */
  readonly plant?: (checkout: string) => Promise<void>;
}

/** A question, and the reviewer that it goes to. */
type AddressedAsk<T> = Ask<T> & { readonly party: ReviewerParty; readonly reviewer: Reviewer };

/** Wait for a rate limiting API that gives no time, in milliseconds. */
const WAIT_MS = 10_000;
/** The longest wait that is worth a step of the finish line. */
const LONGEST_WAIT_MS = 60_000;
/** Questions whose answers a rewritten ticket makes worthless, before the work is postponed. */
const MOST_REWRITES = 5;
/** All files of a checkout. */
const EVERYTHING = ["**"];

/**
 * Asks a reviewer. Its money is set aside first, and its cost is booked afterwards. Only a complete, well-formed answer of a
 * reviewer that changed nothing counts. If there is none, the reviewer has failed and not the work: the question is repeated for
 * the time of an outage. If its API was rate limiting, the question goes to the next account, or is put once more after a short
 * wait. If a person rewrites the ticket meanwhile, it is put again. Throws AttemptOver if the attempt is cancelled or the
 * reviewer is unavailable: the work waits. A question about a planted defect is put once.
 */
export async function askReviewer<T>(ctx: QuestionContext, scope: QuestionScope, repo: Repo, ask: Ask<T>): Promise<Asked<T>> {
  const { party = "reviewer" } = ask;
  // One of two reviewers never answers for the other.
  const reviewer = ctx[party];
  if (reviewer === undefined) return { ok: false, why: `the batch names no ${PARTY_NAMES[party]}` };
  const { halted } = ctx.state();
  if (halted?.party === party) throw postponed(ask, `it is not asked any more (${halted.kind}): ${halted.says}`);
  for (let asked = 0; asked < MOST_REWRITES; asked += 1) {
    const text = serializeTicketText(ticketNow(ctx, scope));
    const answer = await askUntilAnswered(ctx, scope, repo, { ...ask, party, reviewer });
    if (!answer.ok || ask.canary !== undefined || serializeTicketText(ticketNow(ctx, scope)) === text) return answer;
  }
  throw postponed(ask, "the ticket was rewritten each time that it was asked");
}

/** Asks until there is an answer, for the time of an outage. */
async function askUntilAnswered<T>(
  ctx: QuestionContext,
  scope: QuestionScope,
  repo: Repo,
  ask: AddressedAsk<T>,
): Promise<Answer<T>> {
  const retry = ctx.outages.retry(ask.party);
  try {
    for (;;) {
      const answer = await askInTurn(ctx, scope, repo, ask);
      if (answer.ok || answer.isUnpaid || ask.canary !== undefined) return answer;
      if (!retry.failed(answer.says)) throw postponed(ask, answer.says);
      await retry.wait(scope.signal);
      if (!scope.signal.aborted) continue;
      retry.cutOff();
      throw new AttemptOver(abortedEnd(scope));
    }
  } finally {
    retry.end();
  }
}

/** The ticket as people wrote it last. */
const ticketNow = ({ state }: QuestionContext, { ticket }: QuestionScope): Ticket => plannedTicket(state().plan, ticket.id);

/** Puts the question: at once with the next account while one is free, and once more after a short wait if none is. */
async function askInTurn<T>(ctx: QuestionContext, scope: QuestionScope, repo: Repo, ask: AddressedAsk<T>): Promise<Answer<T>> {
  let others = partyAccountCount(ctx.state(), ask.party) - 1;
  let canWait = true;
  for (;;) {
    const answer = await askOnce(ctx, scope, repo, { ...ask, canWait, canSwitch: others > 0 });
    if (answer.shouldSwitch) others -= 1;
    else if (answer.waitMs === undefined) return finalAnswer(ask, answer);
    else {
      canWait = false;
      await pause(ctx.clock, answer.waitMs, scope.signal);
    }
    if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
  }
}

/** The result of a final answer. Throws AttemptOver if its stop applies to every question. */
function finalAnswer<T>(ask: AddressedAsk<T>, answer: Answer<T>): Answer<T> {
  const reach = answer.stop === undefined ? "attempt" : stopReach(answer.stop.kind);
  if (reach === "waits" || reach === "run") throw postponed(ask, answer.says);
  return answer;
}

const STEP: Readonly<Record<Question, Evidence["step"]>> = {
  review: "review",
  adversary: "adversary",
  adjudicate: "blocker",
  plan: "plan",
};

/** Ends an attempt that continues from here once the reviewer is available. */
function postponed(
  { question, name, party = "reviewer" }: Pick<Ask<unknown>, "question" | "name" | "party">,
  why: string,
): AttemptOver {
  const summary = `postponed, because the ${PARTY_NAMES[party]} is unavailable: ${why}`;
  return new AttemptOver({ outcome: "stopped", evidence: { step: STEP[question], name, summary, detail: "" } });
}

/**
 * `canWait`: the question may be put once more after a wait, and its stop is not reported yet. `canSwitch`: with another account.
 */
type Putting<T> = AddressedAsk<T> & { readonly canWait: boolean; readonly canSwitch: boolean } & OfAccount;

async function askOnce<T>(ctx: QuestionContext, scope: QuestionScope, repo: Repo, putting: Putting<T>): Promise<Answer<T>> {
  const { question, party } = putting;
  await withSecrets(ctx, scope, () => fetchKey(ctx, party, { signal: scope.signal }));
  const noMoney = await reserve(ctx, scope, putting);
  if (noMoney !== undefined) return { ok: false, why: noMoney, says: noMoney, isUnpaid: true };
  let costUsd = 0;
  const of = takeAccount(ctx, party);
  const book = (answer: Pick<AnsweredFact, "valid" | "says" | "canary" | "stop" | "findings">): void => {
    ctx.dayBudget.settle(scope.fence, costUsd, question);
    const from = { question, ...askedReviewer(party), ...of };
    scope.announce({ type: "reviewer-answered", ...from, costUsd, ...answer, says: plainText(answer.says, 300) });
  };
  try {
    const answer = await inCheckout(ctx, scope, repo, { ...putting, ...of }, (usd) => {
      costUsd = usd;
    });
    const given = followUp(ctx, answer, { ...putting, ...of });
    const canary = given.ok && putting.canary !== undefined ? { canary: putting.canary(given.value) } : {};
    const stop = given.stop === undefined || given.waitMs !== undefined ? {} : { stop: given.stop };
    const findings = given.findings === undefined ? {} : { findings: given.findings };
    book({ valid: given.ok, says: given.says, ...findings, ...canary, ...stop });
    return given;
  } catch (error) {
    book({ valid: false, says: errorMessage(error) });
    throw error;
  }
}

/** The answer, and whether its question is put again: with a free account, or after a wait if none is free. */
function followUp<T>(ctx: QuestionContext, answer: Answer<T>, { canWait, canSwitch, party, account = 0 }: Putting<T>): Answer<T> {
  const { stop } = answer;
  if (stop === undefined || stopReach(stop.kind) !== "waits") return answer;
  if (canSwitch && isAnotherFree(ctx.state(), party, account, ctx.clock.now())) return { ...answer, shouldSwitch: true };
  const waitMs = stop.retryAfterMs ?? WAIT_MS;
  return canWait && waitMs <= LONGEST_WAIT_MS ? { ...answer, waitMs } : answer;
}

/** Reserves the money and announces the question. Gives the reason if it cannot be afforded. */
async function reserve<T>(
  ctx: QuestionContext,
  { ticket, fence, announce }: QuestionScope,
  putting: Putting<T>,
): Promise<string | undefined> {
  const { question, party, reviewer } = putting;
  const who = PARTY_NAMES[party];
  const usd = reviewer.reserveUsd;
  const state = ctx.state();
  const cap = questionCap(state, ticketById(state, ticket.id), usd);
  if (cap !== undefined) return `the ${who} may cost ${usd} dollars, and limits.${cap} has no room for that any more`;
  const reserved = await reserveMoney(ctx.dayBudget, announce, { fence, usd, question });
  if (!reserved.ok && reserved.unknown) throw postponed(putting, reserved.why);
  if (!reserved.ok) return `the ${who} may cost ${usd} dollars, and others have left no room for that in limits.usdPerDay`;
  if (announce({ type: "reviewer-asked", question, ...askedReviewer(party), reservedUsd: usd })) return undefined;
  ctx.dayBudget.settle(fence, 0, question);
  throw new AttemptOver({ outcome: "stopped" });
}

/** Asks with a pristine checkout to read and a session folder to write, both removed afterwards. */
async function inCheckout<T>(
  ctx: QuestionContext,
  scope: QuestionScope,
  repo: Repo,
  putting: Putting<T>,
  spent: (usd: number) => void,
): Promise<Answer<T>> {
  const { party, reviewer, name } = putting;
  const checkout = ctx.files.checkoutPath(scope.ticket.id, name);
  const session = ctx.files.checkoutPath(scope.ticket.id, `${name}-session`);
  const copyTo = async (path: string) => {
    await repo.checkout({ commit: putting.commit, path, attributesOf: putting.attributesOf });
    await putting.plant?.(path);
  };
  const trials = openTrials(ctx, scope, repo, { name, checkout, copyTo });
  try {
    await copyTo(checkout);
    await ctx.files.makeFolder(session);
    const nonce = randomBytes(16).toString("hex");
    const log = `${putting.question}-${name}${putting.canary === undefined ? "" : "-canary"}`;
    const promptFile = join(scope.files.folder, `${log.replace(/[^\w.-]+/g, "-")}.md`);
    await ctx.files.write(promptFile, putting.prompt({ ticket: ticketNow(ctx, scope), nonce, checkout }));
    const confinement = opened(ctx, confineReviewer(ctx, repo, { party, read: [checkout, promptFile], write: [session] }), name);
    // In the sandbox the reviewer cannot write there.
    const before = ctx.confined ? undefined : await protectedFiles(checkout, EVERYTHING);
    const env = await rulingVariables(ctx, scope, putting.question);
    // Its cost is unknown before it has ended.
    spent(reviewer.reserveUsd);
    const folders = { checkout, promptFile, session, logFile: scope.files.log(log), env, tryOut: trials.tryOut };
    const answer = await put(ctx, scope, putting, { ...folders, confinement });
    spent(answer.costUsd ?? reviewer.reserveUsd);
    const byItself = answer.ending === "exited" && (answer.signal ?? null) === null;
    if (answer.ending === "aborted" || (scope.signal.aborted && !byItself)) throw new AttemptOver(abortedEnd(scope));
    const edited = before === undefined ? [] : differences(before, await protectedFiles(checkout, EVERYTHING));
    const lastLine = byItself && answer.exitCode === 0 ? "" : await readLastLine(ctx, folders.logFile);
    return readAnswer(answer, { edited, lastLine }, () => putting.read(answer.text, nonce));
  } finally {
    await Promise.all([trials.end(), ctx.files.remove(checkout), ctx.files.remove(session)]);
  }
}

/** Puts the question. Its program's output meanwhile is activity of the attempt. */
async function put<T>(
  ctx: QuestionContext,
  { ticket, marker, signal, announce }: QuestionScope,
  { reviewer, question, minutes, account = 0 }: Putting<T>,
  places: Pick<ReviewerTask, "checkout" | "promptFile" | "session" | "logFile" | "confinement" | "env" | "tryOut">,
): Promise<ReviewerAnswer> {
  const activity = thinActivity(ctx.clock, (text, lines) => announce({ type: "activity", text, lines }));
  try {
    return await reviewer.ask({
      ...places,
      ...{ question, account, marker },
      ticket: ticket.id,
      timeoutMs: minutes * 60_000,
      silenceMs: ctx.batch.limits.silenceMinutes * 60_000,
      signal,
      onActivity: activity.line,
    });
  } finally {
    activity.end();
  }
}
