import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { checkValue } from "../../domain/batch/issues.ts";
import { pathText } from "../../domain/batch/problem.ts";
import { plainText } from "../../domain/values/text.ts";
import { answerText, withoutToken } from "../answer-text.ts";
import { outsidePause } from "../host-pause.ts";
import type { TokenSource } from "../token-source.ts";
import { Budget } from "./budget.ts";
import { type Download, type DownloadBounds, download } from "./download.ts";
import { describeFailure, LostAnswer, mutationRefusal, partialData, refusedStatus } from "./failures.ts";
import { loadOctokit, type Octokit } from "./load-octokit.ts";

/** Time limit of one request. Milliseconds. */
const TIMEOUT_MS = 30_000;
/** The address of GitHub's REST API. */
export const GITHUB_API = "https://api.github.com";
/** Status codes of answers that have no body. */
const BODILESS = new Set([204, 205, 304]);

/** Access to one GitHub server. */
export interface ClientOptions {
  /** Address of the REST API; default: https://api.github.com. */
  readonly baseUrl?: string | undefined;
  readonly token: TokenSource;
  readonly now: () => number;
  /** Time limit of one request. Milliseconds; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Waits so many milliseconds; default: by the clock of the system. */
  readonly wait?: ((ms: number) => Promise<unknown>) | undefined;
  /** What the token must be allowed to read and write, for errors; default: issues. */
  readonly rights?: string;
}

type Asking = (octokit: Octokit) => Promise<{ readonly data: unknown }>;

/** A list to be read by REST. */
export interface ListRequest {
  readonly route: "GET /repos/{owner}/{repo}/issues" | "GET /repos/{owner}/{repo}/issues/comments";
  readonly parameters: { readonly owner: string; readonly repo: string; readonly since: string; readonly state?: "all" };
  readonly etag: string | undefined;
  readonly mostPages: number;
}

/** A request of GraphQL that changes something. */
export interface Mutation {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A list as it was answered. */
export interface ListAnswer {
  readonly items: readonly unknown[];
  readonly etag: string | undefined;
  readonly isCut: boolean;
}

/** Sends requests to GitHub, and makes errors of its refusals (failures.ts). It asks for the token anew before each request. */
export class GitHubClient {
  readonly budget: Budget;
  readonly #options: ClientOptions;
  #octokit: Promise<Octokit> | undefined;
  #token = "";
  #writes = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.budget = new Budget(options.now);
  }

  /** Calls of `write` so far. */
  get writes(): number {
    return this.#writes;
  }

  /** Waits before something is asked again. Milliseconds. */
  async wait(ms: number): Promise<void> {
    await (this.#options.wait ?? sleep)(ms);
  }

  /** The data of a query; see `partialData` for what may be null in it. */
  query(text: string, variables: Readonly<Record<string, unknown>>, what = "read issues"): Promise<unknown> {
    return this.#send(what, async ({ graphql }) => {
      try {
        return await graphql<unknown>(text, variables);
      } catch (error) {
        return partialData(error, this.budget);
      }
    });
  }

  /**
   * The items of a list that is sorted by its last change, the newest first, and the ETag of its first page. "unchanged", which
   * costs nothing, if that is `etag` still. `isCut` if there are more than `mostPages` pages, or none because the repository has
   * another name now: GitHub redirects then, and a redirect is not followed.
   */
  async list({ route, parameters, etag, mostPages }: ListRequest): Promise<"unchanged" | ListAnswer> {
    let fresh: string | undefined;
    let pages = 0;
    let isCut = false;
    const conditional = etag === undefined ? {} : { headers: { "if-none-match": etag } };
    const sorted = { sort: "updated", direction: "desc", per_page: 100 } as const;
    const answer = await this.#send("list what changed", async (octokit) => {
      try {
        return await octokit.paginate(route, { ...parameters, ...sorted, ...conditional }, ({ data, headers, status }, done) => {
          pages += 1;
          fresh ??= headers.etag;
          const isMoved = Number(status) >= 300;
          isCut = isMoved || (pages === mostPages && /rel="next"/.test(headers.link ?? ""));
          if (isCut) done();
          return isMoved ? [] : (data as unknown[]);
        });
      } catch (error) {
        if (refusedStatus(error) === 304) return "unchanged";
        throw error;
      }
    });
    this.budget.spend("core", pages);
    return answer === "unchanged" ? answer : { items: answer, etag: fresh, isCut };
  }

  /** A reading by REST. */
  async read<T>(what: string, schema: z.ZodType<T>, request: Asking): Promise<T> {
    const { data } = await this.#send(what, request);
    this.budget.spend("core", 1);
    return shaped(schema, data);
  }

  /**
   * What GitHub keeps elsewhere, at an address that needs no token: a log, an artifact. It gets none. Throws a DownloadFailure if it
   * cannot be had, and errors of `read` if GitHub does not say where it is.
   */
  async download(
    what: string,
    request: (octokit: Octokit) => Promise<{ readonly headers: { readonly location?: string | undefined } }>,
    bounds: DownloadBounds,
  ): Promise<Download> {
    const { headers } = await this.#send(what, request);
    this.budget.spend("core", 1);
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const from = { location: headers.location ?? "", isPlainAllowed: this.#baseUrl().startsWith("http://") };
    return download(from, { ...bounds, timeoutMs });
  }

  /** A write, which is never repeated here. Throws a LostAnswer if nobody can say whether it was carried out. */
  write<T>(what: string, schema: z.ZodType<T>, request: Asking): Promise<T> {
    this.#writes += 1;
    return this.#send(what, async (octokit) => shaped(schema, (await request(octokit)).data, LostAnswer));
  }

  /** A write by GraphQL. Throws a GitHubRefusal if it was not carried out. */
  mutate<T>(what: string, schema: z.ZodType<T>, mutation: Mutation): Promise<T> {
    return this.write(what, schema, async ({ graphql }) => {
      try {
        return { data: await graphql<unknown>(mutation.text, mutation.variables) };
      } catch (error) {
        throw mutationRefusal(error, what, this.budget);
      }
    });
  }

  #send<T>(what: string, request: (octokit: Octokit) => Promise<T>): Promise<T> {
    return outsidePause(new URL(this.#baseUrl()).host, this.#options.now, () => this.#ask(what, request));
  }

  /** One request. After a 401 the token is fetched again, and the request repeated once. */
  async #ask<T>(what: string, request: (octokit: Octokit) => Promise<T>): Promise<T> {
    const { token } = this.#options;
    this.#octokit ??= loadOctokit({ baseUrl: this.#baseUrl(), fetch: (address, init) => this.#fetch(address, init) });
    const octokit = await this.#octokit;
    this.#token = await token.get();
    for (let round = 1; ; round += 1) {
      try {
        return await request(octokit);
      } catch (error) {
        if (refusedStatus(error) !== 401)
          throw describeFailure(error, { what, rights: this.#options.rights ?? "issues" }, this.budget);
        if (round > 1) throw new Error("GitHub does not accept the token (401): it is wrong, was revoked or has expired");
        this.#token = await token.renew(this.#token);
      }
    }
  }

  #baseUrl(): string {
    return (this.#options.baseUrl ?? GITHUB_API).replace(/(?<!\/)\/+$/, "");
  }

  /** Reads the whole answer within the time limit, so that an answer that is cut off is no answer. */
  async #fetch(address: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    // The address of a list's next page comes from the server.
    if (new URL(String(address)).origin !== new URL(this.#baseUrl()).origin) throw new Error("its answer leads to another host");
    const token = this.#token;
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
    const late = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
    try {
      const response = await fetch(address, { ...init, headers, signal });
      this.budget.note(response.headers);
      const text = withoutToken(await answerText(response), token);
      if (response.ok && !BODILESS.has(response.status)) mustBeJson(text);
      return new Response(BODILESS.has(response.status) ? null : text, response);
    } catch (error) {
      // Octokit repeats no request that ends by an error of this name.
      if (init.signal?.aborted) throw new DOMException("the request was given up", "AbortError");
      if (!late.aborted) throw error;
      throw new Error(`no answer within ${Math.ceil(timeoutMs / 1000)} s`, { cause: error });
    }
  }
}

function mustBeJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new Error("its answer is no JSON, or is cut off", { cause });
  }
}

/** The value, checked. Throws an error of the given class that says what is wrong. */
export function shaped<T>(schema: z.ZodType<T>, value: unknown, Failure: new (message: string) => Error = Error): T {
  const checked = checkValue(schema, value);
  if (checked.ok) return checked.value;
  const [{ path, message } = { path: [], message: "it is wrong" }] = checked.findings;
  throw new Failure(`GitHub gave an answer that is not understood: ${plainText(`${pathText(path)} ${message}`, 300)}`);
}
