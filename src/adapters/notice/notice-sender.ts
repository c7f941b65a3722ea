import { MILESTONES } from "../../domain/batch/notify-spec.ts";
import { composeMessage, type Notice, type NoticeMessage } from "../../domain/notice/notices.ts";
import { tellableAt } from "../../domain/notice/timing.ts";
import { errorMessage } from "../../domain/values/text.ts";
import type { Clock } from "../../ports/clock.ts";
import { NoticeFailed, type OpenRoute } from "./post-notice.ts";

/** The keys that each route was told, by its name; kept across engines. */
export interface ToldKeys {
  has(route: string, key: string): boolean;
  /** Durable once it returns. If it throws, `has` knows them all the same: what was told is not told again for a full disk. */
  add(route: string, keys: readonly string[]): void;
}

/** A message that a receiver did not take. */
export interface NoticeTrouble {
  readonly route: string;
  readonly why: string;
  readonly left: number;
  /** Milliseconds since the epoch. */
  readonly nextAt: number;
}

interface SenderOptions {
  readonly routes: readonly OpenRoute[];
  readonly about: Pick<NoticeMessage, "run" | "batch">;
  readonly told: ToldKeys;
  readonly clock: Clock;
  readonly post: (route: OpenRoute, message: NoticeMessage, now: number) => Promise<void>;
  readonly onTrouble: (trouble: NoticeTrouble) => void;
}

/** Notices that come within this time are one message. Milliseconds. */
const GATHER_MS = 3_000;
/** The wait after a failed message: the first, which doubles, and the longest. Milliseconds. */
const RETRY_MS = { first: 5_000, most: 10 * 60_000 } as const;

/** Tells each route what it has not been told yet, many notices in one message, until the receiver has taken it. */
export class NoticeSender {
  readonly #routes: readonly Sending[];

  constructor(options: SenderOptions) {
    this.#routes = options.routes.map((route) => new Sending(route, options));
  }

  /** Takes everything that is so by now: what is no longer among it is not told any more. */
  look(notices: readonly Notice[]): void {
    for (const route of this.#routes) route.look(notices);
  }

  /** Sends at once what waits only for more to come. Settles once all was sent. */
  async finish(): Promise<void> {
    await Promise.all(this.#routes.map((route) => route.finish()));
  }
}

/** What is sent to one route. */
class Sending {
  readonly #route: OpenRoute;
  readonly #options: SenderOptions;
  readonly #kinds: ReadonlySet<string>;
  #pending: readonly Notice[] = [];
  #failures = 0;
  #retryAt = 0;
  #isSending = false;
  #isLast = false;
  #callOff: () => void = () => undefined;
  #idle: (() => void)[] = [];

  constructor(route: OpenRoute, options: SenderOptions) {
    this.#route = route;
    this.#options = options;
    this.#kinds = new Set(route.spec.on ?? MILESTONES);
  }

  look(notices: readonly Notice[]): void {
    const { told } = this.#options;
    const hadNone = this.#pending.length === 0;
    this.#pending = notices.filter(({ key, kind }) => this.#kinds.has(kind) && !told.has(this.#route.name, key));
    if (this.#pending.length === 0) return this.#settleIdle();
    if (hadNone && !this.#isSending) this.#plan(this.#isLast ? 0 : GATHER_MS);
  }

  finish(): Promise<void> {
    this.#isLast = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle.push(resolve);
    if (this.#pending.length === 0 && !this.#isSending) this.#settleIdle();
    else if (!this.#isSending) this.#plan(0);
    return promise;
  }

  #plan(afterMs: number): void {
    const now = this.#options.clock.now();
    const at = tellableAt(this.#route.spec, Math.max(now + afterMs, this.#retryAt));
    this.#callOff();
    this.#callOff = this.#options.clock.after(at - now, () => void this.#send());
  }

  /** Never throws: what a receiver does not take is tried again. */
  async #send(): Promise<void> {
    const { about, clock, onTrouble, post, told } = this.#options;
    const notices = this.#pending;
    if (notices.length === 0) return this.#settleIdle();
    this.#isSending = true;
    let isTaken = false;
    try {
      await post(this.#route, composeMessage(about, notices), clock.now());
      isTaken = true;
      const keys = notices.map(({ key }) => key);
      this.#pending = this.#pending.filter(({ key }) => !keys.includes(key));
      this.#failures = 0;
      this.#retryAt = 0;
      told.add(this.#route.name, keys);
    } catch (error) {
      const waitMs = error instanceof NoticeFailed ? error.waitMs : 0;
      const doubled = Math.min(RETRY_MS.first * 2 ** Math.min(this.#failures, 20), RETRY_MS.most);
      this.#failures += 1;
      this.#retryAt = clock.now() + Math.max(waitMs, doubled);
      const why = `${isTaken ? "what it was told could not be recorded: " : ""}${errorMessage(error)}`;
      onTrouble({ route: this.#route.name, why, left: this.#pending.length, nextAt: this.#retryAt });
    } finally {
      this.#isSending = false;
    }
    if (this.#pending.length === 0) return this.#settleIdle();
    this.#plan(this.#isLast ? 0 : GATHER_MS);
  }

  #settleIdle(): void {
    for (const settle of this.#idle.splice(0)) settle();
  }
}
