import type { LinearSdk } from "@linear/sdk";
import type { z } from "zod";
import { checkValue } from "../../../../domain/batch/issues.ts";
import { pathText } from "../../../../domain/batch/problem.ts";
import { plainText } from "../../../../domain/values/text.ts";
import { TrackerBusy } from "../../../../ports/tracker.ts";
import { outsidePause } from "../../../host-pause.ts";
import type { TokenSource } from "../../../token-source.ts";
import { type Budget, type Cost, queryComplexity, readBudget, serverTime } from "./budget.ts";
import { describeFailure, isRefusedToken } from "./failures.ts";
import { type SendOptions, send } from "./send.ts";

/** The address of Linear's API. */
export const LINEAR_API = "https://api.linear.app/graphql";

/** Time limit of one request. Milliseconds. */
const TIMEOUT_MS = 30_000;

/** When to ask again after an answer that lags behind. Milliseconds. */
const BEHIND_MS = 1_000;

/** Where requests go, and with which token. */
export interface RequestsOptions {
  readonly token: TokenSource;
  readonly apiUrl?: string | undefined;
  readonly now: () => number;
  readonly timeoutMs?: number | undefined;
}

/**
 * Requests to Linear through its SDK. Only a refused token makes it repeat a request, once. An error's message is one line, safe
 * for a terminal, and has no token in it.
 */
export class LinearRequests {
  readonly #token: TokenSource;
  readonly #apiUrl: string;
  readonly #now: () => number;
  readonly #timeoutMs: number;
  #budget: Budget = {};
  #cost: Cost = { requests: 0, complexity: 0 };
  #servedAt: number | undefined;
  #writes = 0;
  /** Who the token is, and the token for which that was asked. */
  #me: { readonly viewer: string; readonly organization: string } | undefined;
  #lastToken: string | undefined;

  constructor({ token, apiUrl = LINEAR_API, now, timeoutMs = TIMEOUT_MS }: RequestsOptions) {
    this.#token = token;
    this.#apiUrl = apiUrl;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  /** What the last answer said of the limits. */
  get budget(): Budget {
    return this.#budget;
  }

  /** What was asked since `count` was called. */
  get cost(): Cost {
    return this.#cost;
  }

  /** The server's time of the first answer since `count` was called, in milliseconds since the epoch; undefined if none had one. */
  get servedAt(): number | undefined {
    return this.#servedAt;
  }

  /** Counts from zero. */
  count(): void {
    this.#cost = { requests: 0, complexity: 0 };
    this.#servedAt = undefined;
  }

  /** What is thrown for an answer that lags behind another one: it may be asked again soon. */
  behind(why: string): TrackerBusy {
    return new TrackerBusy(why, this.#now() + BEHIND_MS);
  }

  /** The ids of the token's own user and of the organization. They are asked for once for each token. */
  async me(): Promise<{ readonly viewer: string; readonly organization: string }> {
    this.#me ??= {
      viewer: requireId(await this.#send(async (client) => await client.viewer)),
      organization: requireId(await this.#send(async (client) => await client.organization)),
    };
    return this.#me;
  }

  /** The data of a query's answer. Throws if it has not the shape that is asked for. */
  async query<T>(document: string, variables: Readonly<Record<string, unknown>>, answer: z.ZodType<T>): Promise<T> {
    const { data, headers } = await this.#withToken((to) => send(to, document, variables));
    this.#note(headers);
    const checked = checkValue(answer, data);
    if (checked.ok) return checked.value;
    const { path, message } = checked.findings[0] ?? { path: [], message: "is wrong" };
    throw new Error(`Linear's answer is not what its API promises: ${plainText(`${pathText(path)} ${message}`.trim(), 300)}`);
  }

  /** One call of the SDK that writes. */
  sdk<T>(call: (client: LinearSdk) => Promise<T>): Promise<T> {
    this.#writes += 1;
    return this.#send(call);
  }

  /** Calls of `sdk` so far. */
  get writes(): number {
    return this.#writes;
  }

  #send<T>(call: (client: LinearSdk) => Promise<T>): Promise<T> {
    return this.#withToken(async (to) => {
      // Only programs that use Linear load its SDK.
      const { LinearSdk } = await import("@linear/sdk");
      return await call(new LinearSdk(async (document, variables) => (await send(to, document, variables)).data as never));
    });
  }

  #withToken<T>(request: (to: SendOptions) => Promise<T>): Promise<T> {
    return outsidePause(new URL(this.#apiUrl).host, this.#now, () => this.#withFreshToken(request));
  }

  /** A request with the token, and once more with a new one if it is refused. */
  async #withFreshToken<T>(request: (to: SendOptions) => Promise<T>): Promise<T> {
    const token = await this.#token.get();
    try {
      return await this.#counted(request, token);
    } catch (error) {
      if (!isRefusedToken(error)) throw this.#problem(error, [token]);
      const renewed = await this.#token.renew(token);
      try {
        return await this.#counted(request, renewed);
      } catch (again) {
        throw this.#problem(again, [token, renewed]);
      }
    }
  }

  #counted<T>(request: (to: SendOptions) => Promise<T>, token: string): Promise<T> {
    if (token !== this.#lastToken) this.#me = undefined;
    this.#lastToken = token;
    this.#cost = { ...this.#cost, requests: this.#cost.requests + 1 };
    return request({ apiUrl: this.#apiUrl, token, timeoutMs: this.#timeoutMs });
  }

  #note(headers: Headers): void {
    this.#budget = readBudget(headers, this.#now());
    this.#servedAt ??= serverTime(headers);
    this.#cost = { ...this.#cost, complexity: this.#cost.complexity + queryComplexity(headers) };
  }

  #problem(error: unknown, tokens: readonly string[]): Error {
    const { host } = new URL(this.#apiUrl);
    return describeFailure(error, { host, tokens, timeoutMs: this.#timeoutMs, now: this.#now() });
  }
}

function requireId({ id }: { readonly id: unknown }): string {
  if (typeof id === "string" && id !== "") return id;
  throw new Error("Linear's answer is not what its API promises: the token's user or organization has no id");
}
