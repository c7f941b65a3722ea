import { baseKey, type Fingerprint } from "../../domain/run/people-fact.ts";
import { repoLandings } from "../../domain/run/reduce-base.ts";
import { isLeftByForge } from "../../domain/run/reduce-merge-observed.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { endOfTime } from "../../domain/schedule/run-time.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { ForgeUnavailable } from "../../ports/forge.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { WatchedFile } from "../../ports/watched-files.ts";
import type { LoopContext } from "../attempt/context.ts";
import { type BranchContext, describeCommits, MOST_COMMITS, observeBranch } from "../attempt/kept-work.ts";

/** Time between two polls. Milliseconds. */
const PERIOD_MS = 30_000;

type WatchContext = BranchContext & MergedGatesContext & Pick<LoopContext, "clock" | "merges" | "watchedFiles">;

/**
 * Reports what people do outside loopdash: merges of pull requests that were left to them, commits on a base or on a branch of the run
 * (I4), edits of the harness in use (I3), and of the batch file and its contracts (I2). The fingerprints are in the journal, so acts
 * between two engines are noticed, and none is counted twice.
 */
export class PeopleWatch {
  readonly #ctx: WatchContext;
  #cancel: () => void = () => undefined;
  #isStopped = false;
  readonly #busy = new Set<string>();
  /** Settles once the last looks that wait for no landing are over. */
  #free: Promise<unknown> = Promise.resolve();
  /** The start of the engine has already counted a batch file that changed between two engines. */
  #isFirst = true;
  #warned = "";

  constructor(ctx: WatchContext) {
    this.#ctx = ctx;
  }

  /** Polls now and from then on in periods. */
  start(): void {
    void this.poll(this.#busy);
    // The looks that wait for no landing are over before the next period begins.
    void this.#free.then(() => {
      if (!this.#isStopped) this.#cancel = this.#ctx.clock.after(PERIOD_MS, () => this.start());
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Reads all bases and files once, but what is `busy`. A warning names what cannot be read; the next poll reads it again. */
  async poll(busy = new Set<string>()): Promise<void> {
    const { merges, repos } = this.#ctx;
    // A landing that waits in its turn holds up the look at its base, and nothing else.
    const alone = async (part: string, look: () => Promise<void>): Promise<void> => {
      if (busy.has(part)) return;
      busy.add(part);
      await look().finally(() => busy.delete(part));
    };
    const bases = [...repos.values()].map((repo) =>
      alone(`base ${repo.id}`, async () => {
        const merged = await mergedGates(this.#ctx, repo);
        await merges.run(repo.id, async () => {
          // Their commits are the engine's landings from here on.
          for (const each of merged) await withdrawGate(this.#ctx, repo, each);
          await this.#base(repo);
        });
      }),
    );
    const branches = [...repos.values()].map((repo) => alone(`branches ${repo.id}`, () => this.#branches(repo)));
    const free = [...branches, alone("files", () => this.#files())];
    this.#free = Promise.allSettled(free);
    for (const result of await Promise.allSettled([...bases, ...free])) {
      if (result.status === "fulfilled") continue;
      const problem = errorMessage(result.reason);
      if (!this.#isStopped && problem !== this.#warned) process.emitWarning(`cannot check for changes by people: ${problem}`);
      this.#warned = problem;
    }
  }

  #seen(key: string): string | undefined {
    return this.#ctx.state().fingerprints?.[key];
  }

  /** Runs in the turn of the repository's landings, so that the engine's own commit is on record. */
  async #base(repo: Repo): Promise<void> {
    const { report } = this.#ctx;
    const key = baseKey(repo.id);
    const tip = await repo.baseTip();
    const fingerprint: Fingerprint = { key, value: tip };
    const seen = this.#seen(key);
    if (seen === tip) return;
    if (seen === undefined) return void report({ type: "fingerprints-recorded", fingerprints: [fingerprint] });
    if (this.#isMergingAtForge(repo)) return;
    const since = await repo.commitsSince({ from: seen, to: tip, most: MOST_COMMITS });
    const ours = this.#ours(repo);
    const theirs = since?.filter(({ sha }) => !ours.has(sha));
    if (theirs?.length === 0) return void report({ type: "fingerprints-recorded", fingerprints: [fingerprint] });
    const note =
      theirs === undefined ? `moved ${repo.base} back or aside, to ${tip.slice(0, 7)}` : describeCommits(theirs, repo.base);
    report({ type: "act-observed", class: "I4", target: repo.id, note, fingerprint });
  }

  /** Names without a ticket of the run are somebody else's affair. */
  async #branches(repo: Repo): Promise<void> {
    const { run, state } = this.#ctx;
    const folder = `loopdash/${run}`;
    for (const branch of await repo.branches(folder)) {
      const [name = ""] = branch.slice(folder.length + 1).split("@");
      const { plan } = state();
      const ticket = Object.hasOwn(plan.index, name) ? plan.tickets[plan.index[name] as number] : undefined;
      if (ticket?.repo === repo.id) await observeBranch(this.#ctx, repo, { ticket: ticket.id, branch });
    }
  }

  /** True while a forge may have merged a change whose commit the run does not know yet. A later poll tells it from commits of people. */
  #isMergingAtForge(repo: Repo): boolean {
    const { plan, tickets } = this.#ctx.state();
    return [...vecItems(tickets)].some(({ phase, attempt, pullRequest }, i) => {
      const isOpen = phase === "waiting" || phase === "working" || phase === "finishing";
      return isOpen && plan.tickets[i]?.repo === repo.id && pullRequest?.isMerging === true && attempt?.merge === undefined;
    });
  }

  /**
   * Commits that the engine has landed on a base, or may be landing. A ticket may have landed more than once since the last poll.
   */
  #ours(repo: Repo): ReadonlySet<string> {
    const state = this.#ctx.state();
    const landed = repoLandings(state, repo.id)?.commits ?? [];
    const landing = [...vecItems(state.tickets)].flatMap(({ mergedSha, mergedFrom, attempt, live, pullRequest }) =>
      [
        mergedSha === mergedFrom ? undefined : mergedSha,
        attempt?.merge?.from === attempt?.merge?.to ? undefined : attempt?.merge?.to,
        live?.revert?.to,
        pullRequest?.onto && pullRequest.head,
      ].filter((sha) => sha !== undefined),
    );
    return new Set([...landed.map(({ sha }) => sha), ...landing]);
  }

  async #files(): Promise<void> {
    const { report, state, watchedFiles } = this.#ctx;
    const fresh: Fingerprint[] = [];
    const known = Object.keys(state().fingerprints ?? {});
    for (const file of (await watchedFiles?.read(known)) ?? []) {
      const { key, value, target, name, class: kind } = file;
      const isOfBatch = key === "batch" || key.startsWith("contract:");
      const seen = isOfBatch && this.#isFirst ? undefined : this.#seen(key);
      if (seen === undefined && !file.isAdded) fresh.push({ key, value });
      else if (seen !== value) {
        const note = `${howChanged(file, seen)} ${name}`;
        report({ type: "act-observed", class: kind, target, note, fingerprint: { key, value } });
      }
    }
    this.#isFirst = false;
    if (fresh.length > 0) report({ type: "fingerprints-recorded", fingerprints: fresh });
  }
}

function howChanged({ value }: Pick<WatchedFile, "value">, seen: string | undefined): string {
  if (value === "gone") return "removed";
  return seen === undefined || seen === "gone" ? "added" : "edited";
}

/** The context of the look at pull requests that were left to people. */
type MergedGatesContext = Pick<LoopContext, "clock" | "pullRequests" | "report" | "state">;

/** A pull request that was merged after its ticket was left to a person. `isOurs`: at the head that was checked. */
interface MergedGate {
  readonly ticket: TicketState["id"];
  readonly number: number;
  readonly head: string;
  readonly mergeCommit: string;
  readonly isOurs: boolean;
}

/** Finds them. A forge that is away has nothing to tell: the next look asks again. */
async function mergedGates(ctx: MergedGatesContext, repo: Repo): Promise<readonly MergedGate[]> {
  const target = ctx.pullRequests.get(repo.id);
  const { plan, tickets } = ctx.state();
  // An attempt has to take the steps behind the merge.
  if (target === undefined || ctx.clock.now() >= (endOfTime(ctx.state()) ?? Number.POSITIVE_INFINITY)) return [];
  const merged: MergedGate[] = [];
  for (const ticket of vecItems(tickets)) {
    const { number, head = "" } = ticket.pullRequest ?? {};
    if (number === undefined || !isLeftByForge(ticket) || plannedTicket(plan, ticket.id).repo !== repo.id) continue;
    const read = await target.pulls.read(number).catch((error: unknown) => {
      if (error instanceof ForgeUnavailable) return undefined;
      throw error;
    });
    if (read?.state !== "merged" || read.mergeCommit === undefined || read.base !== target.rules.base) continue;
    merged.push({ ticket: ticket.id, number, head, mergeCommit: read.mergeCommit, isOurs: read.head === head });
  }
  return merged;
}

/**
 * Withdraws the gate of a ticket whose merge the base at the forge holds. Another head than the checked one counts only if the base holds
 * that, too. Runs in the turn of the repository's landings.
 */
async function withdrawGate(ctx: MergedGatesContext, repo: Repo, merged: MergedGate): Promise<void> {
  const { ticket, number, head, mergeCommit: to, isOurs } = merged;
  const landing = await repo.land({ from: await repo.baseTip(), to, isMerged: true });
  if (landing.as !== "landed" || !(isOurs || (await repo.contains(head)))) return;
  const from = (await repo.parent(to)) ?? to;
  const now = ticketById(ctx.state(), ticket);
  if (isLeftByForge(now) && now.pullRequest?.head === head)
    ctx.report({ type: "merge-observed", ticket, repo: repo.id, number, from, to });
}
