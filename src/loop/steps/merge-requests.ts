import type { PullRequestMove } from "../../domain/forge/next-move.ts";
import type { PullRequestState } from "../../domain/forge/pull-request.ts";
import type { PullRequestMerge } from "../../ports/forge.ts";

/** Waits before a merge that was refused or let go is asked for again, and the time for which a queue may lag: parts of `appearMs`. */
const AGAIN = [1 / 40, 1 / 10] as const;
const LAG = 1 / 20;

/**
 * The requests to merge one pull request. A merge that the forge refuses, or that its queue lets go, is asked for again after a wait, twice;
 * then it is a person's, with the reason. A queue may show late that it has the pull request, or has let it go.
 */
export class MergeRequests {
  readonly #appearMs: number;
  readonly #reasons: string[] = [];
  #notBefore = 0;
  /** When the queue is known to have had it last; undefined if it has not taken it. Milliseconds since the epoch. */
  #queuedAt: number | undefined;
  /** The last time that the queue had let it go before it took it. */
  #before: string | undefined;

  constructor(appearMs: number) {
    this.#appearMs = appearMs;
  }

  /** Gives the move if a reading lets the merge be asked for: now, later, or by a person. */
  next({ number, url, letGo, queuePosition }: PullRequestState, move: PullRequestMove, now: number): PullRequestMove {
    if (queuePosition !== undefined) this.#queuedAt = now;
    if (move.do !== "merge") return move;
    if (this.#queuedAt !== undefined) {
      const until = this.#queuedAt + this.#appearMs * LAG;
      const isLetGo = letGo !== undefined && letGo.id !== this.#before;
      if (!isLetGo && now < until) return { do: "wait", why: "the merge queue has it, and does not show it", until };
      this.#queuedAt = undefined;
      const reason = isLetGo && letGo.reason !== "" ? letGo.reason : "it gives no reason";
      this.#failed(`the merge queue has let it go: ${reason}`, now);
    }
    this.#before = letGo?.id;
    const [why] = this.#reasons.slice(-1);
    if (why === undefined) return move;
    if (this.#reasons.length > AGAIN.length)
      return { do: "gate", step: `merge pull request #${number} (${url}): ${why} (${this.#reasons.length} times)` };
    const until = this.#notBefore;
    return now < until ? { do: "wait", why: `${why}; it is asked again`, until } : move;
  }

  /** Takes in the forge's answer. */
  answered(merged: PullRequestMerge, now: number): void {
    if (merged.as === "queued") this.#queuedAt = now;
    if (merged.as === "refused") this.#failed(merged.reason, now);
  }

  #failed(reason: string, now: number): void {
    this.#notBefore = now + this.#appearMs * (AGAIN[this.#reasons.length] ?? 0);
    this.#reasons.push(reason);
  }
}
