import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { isObject, type JsonObject, parseJson } from "@loopdash/values";
import { openPending, readLogin, recoverLogin, withLock } from "./login-file.ts";
import type { LoginFormat, LoginTokens } from "./login-format.ts";
import { post } from "./post.ts";

/** A token that expires sooner is refreshed before it is used. Milliseconds. */
const MARGIN_MS = 5 * 60_000;
/** Time for the token endpoint's answer. Milliseconds; far less than the age at which a lock counts as left behind. */
const ANSWER_MS = 20_000;
/** The least time between two refreshes of refused tokens, so that repeated requests do not use up refresh tokens. Milliseconds. */
const REFRESH_EVERY_MS = 60_000;
/** Lifetime of a token whose vendor does not tell it. Seconds. */
const LIFETIME = 3_600;

/** The login cannot be used until a person logs in again. The message has no token in it. */
export class LoginRequired extends Error {
  override readonly name = "LoginRequired";
}

/** Everything that a login needs besides its vendor's format. */
export interface LoginOptions {
  readonly format: LoginFormat;
  /** The environment of the person who starts loopdash: names the file, and the machine's proxy. */
  readonly env: NodeJS.ProcessEnv;
  /** The path of the vendor's program. */
  readonly programPath: string;
  /** The token endpoint; default: the vendor's. */
  readonly tokenUrl?: string | undefined;
  /** Certificates (PEM) that the token endpoint's is checked against; default: Node's own. */
  readonly ca?: string | undefined;
  /** Called with each token before it is used. */
  readonly learn?: ((name: string, token: string) => void) | undefined;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
  /** Milliseconds that only grow; for tests. */
  readonly ticks?: () => number;
}

/** The state of a login, without its tokens. */
export interface LoginState {
  readonly file: string;
  readonly expiresAt: number | undefined;
  readonly isExpired: boolean;
  readonly canRefresh: boolean;
}

interface Found {
  readonly kept: JsonObject;
  readonly tokens: LoginTokens;
}

/**
 * The login that a vendor's program keeps on this machine. The person's own program and other engines refresh it too, so its file
 * is read before each refresh. A refresh uses up the refresh token, so the new one is written back at once, under a lock.
 */
export class Login {
  readonly #options: LoginOptions;
  #held: LoginTokens | undefined;
  /**
   * The token of this process's last refresh, and its begin and end on a clock that only grows: the machine's clock may be wrong.
   */
  #refreshed: { readonly access: string; readonly at: number; readonly until: number } | undefined;
  #refreshing: Promise<LoginTokens> | undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /** What a person runs to log in. */
  get command(): string {
    return this.#options.format.command;
  }

  get file(): string {
    return this.#options.format.file(this.#options.env);
  }

  /**
   * The present access token, refreshed if it is about to expire. If the refresh fails, the token is used until it has expired.
   * Rejects with LoginRequired if only a person can help.
   */
  async value(): Promise<string> {
    if (this.#held !== undefined && this.#isValid(this.#held)) return this.#held.access;
    try {
      return (await this.#refreshOnce(undefined)).access;
    } catch (error) {
      if (error instanceof LoginRequired) throw error;
      const { tokens } = await this.#read(this.file);
      if (!this.#isValid(tokens, 0)) throw error;
      return this.#hold(tokens).access;
    }
  }

  /** Another access token because this one was refused; the same one if it has just been refreshed. */
  async renew(refused: string): Promise<string> {
    if (this.#held !== undefined && this.#held.access !== refused && this.#isValid(this.#held)) return this.#held.access;
    return (await this.#refreshOnce(refused)).access;
  }

  /** Headers that go with the present access token. */
  async headers(): Promise<Readonly<Record<string, string>>> {
    if (this.#held === undefined) await this.value();
    return this.#held?.headers ?? {};
  }

  /** Reads the login's file, and sends no request. Rejects with LoginRequired if there is no login. */
  async state(): Promise<LoginState> {
    const { tokens } = await this.#read(this.file);
    const { expiresAt, refresh } = tokens;
    return { file: this.file, expiresAt, isExpired: !this.#isValid(tokens), canRefresh: refresh !== undefined };
  }

  #refreshOnce(refused: string | undefined): Promise<LoginTokens> {
    this.#refreshing ??= this.#current(refused).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #current(refused: string | undefined): Promise<LoginTokens> {
    const found = await this.#read(this.file);
    if (this.#isUsable(found.tokens, refused)) return this.#hold(found.tokens);
    if (found.tokens.refresh === undefined) throw this.#lost("it has expired and cannot be refreshed");
    const { at = Number.NEGATIVE_INFINITY, access } = this.#refreshed ?? {};
    if (refused !== undefined && access === refused && this.#monotonic() - at < REFRESH_EVERY_MS) return this.#hold(found.tokens);
    const file = await realpath(this.file);
    const lock = this.#options.format.ownLock?.(file) ?? join(file, "..", `.${this.#options.format.program}.loopdash-lock`);
    return await withLock(lock, async () => this.#hold(await this.#refresh(file, refused)));
  }

  /** Reads the file again, because the previous holder of the lock may have refreshed it. */
  async #refresh(file: string, refused: string | undefined): Promise<LoginTokens> {
    await recoverLogin(file, (await this.#read(file)).tokens.refresh);
    const { kept, tokens } = await this.#read(file);
    if (this.#isUsable(tokens, refused)) return tokens;
    const { refresh } = tokens;
    if (refresh === undefined) throw this.#lost("it has expired and cannot be refreshed");
    const { format, programPath } = this.#options;
    const request = await format.refresh({ token: refresh, kept, programPath });
    if (typeof request === "string") throw this.#lost(request);
    const pending = await openPending(file, refresh);
    let answer: JsonObject | undefined;
    try {
      answer = await this.#ask(request);
    } catch (error) {
      const now = error instanceof LoginRequired ? (await this.#read(file)).tokens : tokens;
      // The person's own program may have refreshed it first: Codex and Gemini CLI take no lock.
      if (now.refresh !== refresh && this.#isUsable(now, refused)) return now;
      throw error;
    } finally {
      if (answer === undefined) await pending.discard();
    }
    const renewed = format.renewed(kept, answer, this.#now());
    const fresh = renewed === undefined ? undefined : format.read(renewed);
    if (renewed === undefined || fresh === undefined || typeof fresh === "string") {
      await pending.discard();
      throw new Error(`the token endpoint of ${format.program} gave no token`);
    }
    this.#learn(fresh);
    await pending.save(renewed);
    const at = this.#monotonic();
    this.#refreshed = { access: fresh.access, at, until: at + (format.lifetime(answer) ?? LIFETIME) * 1_000 };
    return fresh;
  }

  async #ask(request: { readonly headers: Readonly<Record<string, string>>; readonly body: string }): Promise<JsonObject> {
    const { format, env, ca, tokenUrl = format.tokenUrl } = this.#options;
    const headers = { accept: "application/json", ...request.headers };
    const { status, text } = await post({ url: tokenUrl, headers, body: request.body, timeoutMs: ANSWER_MS, proxyEnv: env, ca });
    // A refused refresh token (RFC 6749, 5.2) is 400; OpenAI answers 401.
    if (status === 400 || status === 401 || status === 403) throw this.#lost(`the vendor refused to refresh it (${status})`);
    const answer: unknown = status === 200 ? parseJson(text) : undefined;
    if (!isObject(answer)) throw new Error(`the token endpoint of ${format.program} answers ${status}`);
    return answer;
  }

  async #read(file: string): Promise<Found> {
    const kept = await readLogin(file);
    if (typeof kept === "string") throw this.#lost(kept);
    const tokens = this.#options.format.read(kept);
    if (typeof tokens === "string") throw this.#lost(tokens);
    this.#learn(tokens);
    return { kept, tokens };
  }

  #isUsable(tokens: LoginTokens, refused: string | undefined): boolean {
    return tokens.access !== refused && this.#isValid(tokens);
  }

  #isValid({ access, expiresAt }: LoginTokens, marginMs = MARGIN_MS): boolean {
    if (access === this.#refreshed?.access)
      return this.#refreshed.until - this.#monotonic() > Math.min(marginMs, (this.#refreshed.until - this.#refreshed.at) / 2);
    return expiresAt === undefined || expiresAt - this.#now() > marginMs;
  }

  #hold(tokens: LoginTokens): LoginTokens {
    this.#held = tokens;
    return tokens;
  }

  #learn({ access, refresh }: LoginTokens): void {
    const { learn, format } = this.#options;
    learn?.(`${format.program} login`, access);
    if (refresh !== undefined) learn?.(`${format.program} login`, refresh);
  }

  #lost(why: string): LoginRequired {
    const { format } = this.#options;
    return new LoginRequired(`the login of ${format.program} in ${this.file} cannot be used: ${why}. Run ${format.command}`);
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  #monotonic(): number {
    return this.#options.ticks?.() ?? performance.now();
  }
}
