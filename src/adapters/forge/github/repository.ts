import { z } from "zod";
import { ForgeUnavailable } from "../../../ports/forge.ts";
import { TrackerBusy } from "../../../ports/tracker.ts";
import { RepoUnavailable } from "../../../ports/vcs.ts";
import { type ClientOptions, GitHubClient, type Mutation, shaped } from "../../github/client.ts";
import type { Download, DownloadBounds } from "../../github/download.ts";
import { DownloadFailure } from "../../github/download.ts";
import { GitHubRefusal, LostAnswer } from "../../github/failures.ts";
import type { Octokit } from "../../github/load-octokit.ts";

/**
 * The pause between two readings: a share of the wait so far, so that a check is seen late by that share of its own time at most. Bounds in
 * milliseconds.
 */
const PAUSE = { ofWait: 0.2, shortest: 150, longest: 5000 } as const;

/** The owner and the name of the repository, and what ends the request, as REST wants them. */
export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
  readonly request?: { readonly signal: AbortSignal };
}

/** A request about the repository by REST. */
export type RestRequest<T> = (rest: Octokit["rest"], name: RepositoryName) => Promise<T>;

/** A part of each query: it asks for the query's cost, which is null on servers without rate limits. */
export const COST = "rateLimit { cost }";
const Cost = z.object({ rateLimit: z.object({ cost: z.number() }).nullable() });

/**
 * One repository of GitHub. Its methods throw a GitHubRefusal if GitHub refuses this one request, a LostAnswer if nobody can say what
 * became of it, and a ForgeUnavailable for all that stands in the way of any request.
 */
export class GitHubRepository {
  readonly fullName: string;
  readonly #name: RepositoryName;
  readonly #client: GitHubClient;
  readonly #signal: AbortSignal | undefined;
  /** The pull requests that were read since the budget's last reading ended. */
  readonly #round: Set<number>;

  constructor(
    fullName: string,
    access: Omit<ClientOptions, "rights"> | { readonly as: GitHubRepository; readonly signal: AbortSignal },
  ) {
    const [owner = "", repo = ""] = fullName.split("/");
    const rights = "contents, pull requests, checks and actions";
    this.fullName = fullName;
    this.#signal = "as" in access ? access.signal : undefined;
    this.#name = { owner, repo, request: this.#signal && { signal: this.#signal } };
    this.#client = "as" in access ? access.as.#client : new GitHubClient({ ...access, rights });
    this.#round = "as" in access ? access.as.#round : new Set();
  }

  /**
   * The same repository: its requests by REST and its downloads end once the signal is aborted, and throw a ForgeUnavailable then. Nobody knows
   * what became of a write that ends so.
   */
  withSignal(signal: AbortSignal): GitHubRepository {
    return new GitHubRepository(this.fullName, { as: this, signal });
  }

  get owner(): string {
    return this.#name.owner;
  }

  query<T extends object>(
    what: string,
    schema: z.ZodType<T>,
    { text, variables = {} }: Partial<Mutation> & { text: string },
  ): Promise<T> {
    return this.#known(async () => {
      const { owner, repo: name } = this.#name;
      const data = await this.#client.query(text, { owner, name, ...variables }, what);
      this.#client.budget.spend("graphql", shaped(Cost, data).rateLimit?.cost ?? 0);
      return shaped(schema, data);
    });
  }

  read<T>(what: string, schema: z.ZodType<T>, request: RestRequest<{ readonly data: unknown }>): Promise<T> {
    return this.#known(() => this.#client.read(what, schema, ({ rest }) => request(rest, this.#name)));
  }

  /** Also throws a DownloadFailure. */
  download(
    what: string,
    request: RestRequest<{ readonly headers: { readonly location?: string | undefined } }>,
    bounds: DownloadBounds,
  ): Promise<Download> {
    return this.#known(() =>
      this.#client.download(what, ({ rest }) => request(rest, this.#name), { ...bounds, signal: this.#signal }),
    );
  }

  write<T>(what: string, schema: z.ZodType<T>, request: RestRequest<{ readonly data: unknown }>): Promise<T> {
    return this.#known(() => this.#client.write(what, schema, ({ rest }) => request(rest, this.#name)));
  }

  mutate<T>(what: string, schema: z.ZodType<T>, mutation: Mutation): Promise<T> {
    return this.#known(() => this.#client.mutate(what, schema, mutation));
  }

  /** A reading of a pull request begins. All requests until each of the others has been read too count as one reading. */
  beginReading(number: number): void {
    if (this.#round.has(number)) {
      this.#client.budget.endReading();
      this.#round.clear();
    }
    this.#round.add(number);
  }

  /** Awaits a request, and throws only the errors that this class names. */
  async #known<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (this.#signal?.aborted) throw new ForgeUnavailable("the request was given up");
      if (error instanceof TrackerBusy) throw new ForgeUnavailable(error.message, error.retryAt);
      if (error instanceof DownloadFailure || error instanceof LostAnswer) throw error;
      if (error instanceof GitHubRefusal && error.status !== 401) throw error;
      throw error instanceof Error ? new ForgeUnavailable(error.message) : error;
    }
  }

  pauseMs(waited: number): number {
    const { budget } = this.#client;
    const pause = Math.round(Math.min(PAUSE.longest, Math.max(PAUSE.shortest, waited * PAUSE.ofWait)));
    return budget.isAhead() ? pause : budget.pauseMs(PAUSE.longest);
  }
}

/** Items of a page of a list. */
export const PAGE = 100;

/** The items of all pages of a list; of at most `mostPages`. */
export async function allPages<T>(mostPages: number, pageOf: (page: number) => Promise<readonly T[]>): Promise<readonly T[]> {
  const items: T[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const more = await pageOf(page);
    items.push(...more);
    if (more.length < PAGE) break;
  }
  return items;
}

/** Accepts any answer. */
export const Anything = z.unknown();

/** Awaits an answer for the loop. Throws a ForgeUnavailable if GitHub or the git of its remote gave none, whatever the cause. */
export async function reached<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const isTheirs = error instanceof GitHubRefusal || error instanceof LostAnswer || error instanceof RepoUnavailable;
    throw isTheirs ? new ForgeUnavailable(error.message) : error;
  }
}
