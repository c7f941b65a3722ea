import type { BlockedConnection } from "../../domain/run/blocked-fact.ts";
import type { ExecResult } from "../../ports/executor.ts";
import type { Gateway } from "../../ports/gateway.ts";

/** The time that a program gets after its first blocked connection: to fail by itself, or to reach another host. Milliseconds. */
const GRACE_MS = 5_000;

/**
 * Ends a program that cannot succeed: its connections were blocked, and none was let through. Programs repeat a refused
 * connection for minutes, some without a word.
 */
export class BlockedTimer {
  readonly #end = new AbortController();
  #gateway: Gateway | undefined;
  #first: BlockedConnection | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** The signal that ends the program: the given one, or this timer's own. */
  arm(gateway: Gateway, signal: AbortSignal): AbortSignal {
    this.#gateway = gateway;
    return AbortSignal.any([signal, this.#end.signal]);
  }

  blocked(blocked: BlockedConnection): void {
    this.#first ??= blocked;
    if (this.#gateway !== undefined) this.#timer ??= this.#wait(this.#gateway);
  }

  /** The program's end; `blocked` if this timer ended it. */
  ended(result: ExecResult): ExecResult {
    const isOwn = result.ending === "aborted" && this.#end.signal.aborted;
    if (!isOwn || this.#first === undefined) return result;
    const { host, port, reason } = this.#first;
    const message = `the sandbox blocked every connection, first ${host}:${port} (${reason})`;
    return { ...result, ending: "blocked", message };
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(gateway: Gateway): NodeJS.Timeout {
    return setTimeout(() => {
      const { tunnels, open } = gateway.totals();
      if (tunnels > 0) return;
      // A host is still being dialled.
      if (open > 0) this.#timer = this.#wait(gateway);
      else this.#end.abort();
    }, GRACE_MS);
  }
}
