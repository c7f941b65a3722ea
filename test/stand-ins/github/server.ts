import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Budgets, type Limits } from "./budgets.ts";
import { bytesOf, conditional } from "./conditional.ts";
import { type Answer, type Fault, isCarriedOut, mishapOf } from "./fault.ts";
import { basicToken, gitRequestOf } from "./forge/backend.ts";
import { Forge } from "./forge/forge.ts";
import { answerForge, isForgeRequest } from "./forge/rest.ts";
import { answerGraphql, isMutation } from "./graphql.ts";
import { History } from "./history.ts";
import { operationOf, wrongAnswer, wrongIn } from "./openapi.ts";
import { Person } from "./person.ts";
import { answerRest, badCredentials, notFound, type RestAnswer, type RestRequest } from "./rest.ts";
import type { Age } from "./schema.ts";
import { secondaryLimit } from "./secondary-limit.ts";
import { type Seed, type State, stateOf, userOf } from "./state.ts";

/** A request as tests see it. It has no token. */
export interface SeenRequest {
  readonly method: string;
  /** Without `/api/v3`; `/graphql` for queries. */
  readonly path: string;
  readonly query: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A request with its answer. `counted` is what it took from a budget. */
export interface LoggedRequest extends SeenRequest {
  readonly status: number;
  readonly counted: number;
}

export interface StandInOptions {
  readonly seed?: Seed;
  readonly limits?: Partial<Limits>;
  readonly age?: Age;
  readonly now?: () => number;
}

interface Token {
  readonly login: string;
  isRevoked: boolean;
  /** False: its user has no right to set labels. */
  canLabel: boolean;
  /** False: it may only read repositories, pull requests and checks. Default: true. */
  canWrite?: boolean;
  /** True: it may read how branches are protected. Default: false. */
  isAdmin?: boolean;
}

interface Sent extends Answer {
  readonly counted: number;
}

/** GitHub on 127.0.0.1, for as long as the process lives or until it is closed. */
export class GitHubStandIn implements AsyncDisposable {
  state: State;
  age: Age;
  readonly budgets: Budgets;
  readonly tokens = new Map<string, Token>();
  readonly log: LoggedRequest[] = [];
  /** Looks at each request, which waits for it. */
  fault: (request: SeenRequest) => Fault | undefined | Promise<Fault | undefined> = () => undefined;
  /** Changes the answer to a query. */
  alter: (answer: object) => object = (answer) => answer;
  /** True while nobody answers. */
  isAway: () => boolean = () => false;
  /** Reads see the state of so many writes ago. */
  staleWrites = 0;
  /** Reads see the state of so many milliseconds ago, as far as it is kept. */
  staleMs = 0;
  readonly #history = new History();
  readonly #now: () => number;
  readonly #seed: Seed;
  /** Git, pull requests and checks, of repositories whose seed has `forge`. */
  readonly forge: Forge;
  /** What the stand-in itself did wrong. */
  readonly mistakes: string[] = [];
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch((error: unknown) => {
      this.mistakes.push(String(error));
      response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify({ message: String(error) }));
    });
  });

  constructor({ seed = {}, limits = {}, age = "now", now = Date.now }: StandInOptions = {}) {
    this.#now = now;
    this.#seed = seed;
    this.age = age;
    this.state = stateOf(seed, now());
    this.budgets = new Budgets(limits, now);
    for (const [token, login] of Object.entries(seed.tokens ?? { token: "loop" })) {
      userOf(this.state, login);
      this.tokens.set(token, { login, isRevoked: false, canLabel: true });
    }
    this.forge = new Forge({
      state: () => this.state,
      now,
      remember: () => this.#keep(),
      mistake: (error) => this.mistakes.push(String(error)),
    });
  }

  /** Begins to listen. It does not keep the process alive by itself. */
  async open(): Promise<this> {
    await this.forge.open(this.#seed);
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.#server.unref();
    return this;
  }

  /** From now on it keeps the process alive. */
  keepAlive(): void {
    this.#server.ref();
  }

  /** Its address, as that of github.com's API. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Its address, as that of a GitHub Enterprise Server's API. */
  get enterpriseUrl(): string {
    return `${this.url}/api/v3`;
  }

  person(login: string): Person {
    userOf(this.state, login);
    return new Person(
      login,
      () => {
        this.#keep();
        return this.state;
      },
      this.#now,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.forge.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://github.test");
    const git = gitRequestOf(url);
    const raw = git === undefined ? await text(request) : "";
    const path = url.pathname.replace(/^\/api\/v3(?=\/)|^\/api(?=\/graphql$)/, "");
    const body = raw === "" ? {} : JSON.parse(raw);
    const seen: SeenRequest = { method: request.method ?? "GET", path, query: url.search, body };
    const asked = this.isAway() ? { status: 503, body: { message: "away" } } : this.fault(seen);
    const fault = asked instanceof Promise ? await asked : asked;
    if (fault !== undefined && !isCarriedOut(fault))
      return this.#send(request, response, { seen, answer: { status: 200, body: {}, counted: 0 }, fault });
    const token = this.tokens.get(basicToken(request.headers.authorization) ?? "");
    const answer =
      git === undefined
        ? await this.#answer(request, { seen, url, hasBody: raw !== "" })
        : { ...(await this.forge.answerGit(request, git, { token, response })), counted: 0 };
    if (response.headersSent) return void this.log.push({ ...seen, status: answer.status, counted: 0 });
    if (typeof fault === "object" && "lateMs" in fault) await sleep(fault.lateMs);
    this.#send(request, response, { seen, answer, fault: mishapOf(fault) });
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { seen, answer, fault }: { readonly seen: SeenRequest; readonly answer: Sent; readonly fault: ReturnType<typeof mishapOf> },
  ): void {
    const sent = typeof fault === "object" ? { ...fault, counted: answer.counted } : answer;
    this.log.push({ ...seen, status: typeof fault === "string" ? 0 : sent.status, counted: sent.counted });
    if (fault === "hang") return;
    if (fault === "reset") return void request.socket.destroy();
    const bytes = sent.body === undefined ? undefined : bytesOf(sent.body);
    const headers = {
      date: new Date(this.#now()).toUTCString(),
      ...(bytes && { "content-type": "application/json; charset=utf-8", "content-length": bytes.length }),
      ...sent.headers,
    };
    response.sendDate = false;
    response.writeHead(sent.status, headers);
    if (fault !== "truncate" || bytes === undefined) return void response.end(bytes);
    response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
  }

  async #answer(
    request: IncomingMessage,
    { seen, url, hasBody }: { readonly seen: SeenRequest; readonly url: URL; readonly hasBody: boolean },
  ): Promise<Sent> {
    const token = this.tokens.get(/^(?:bearer|token) (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "");
    if (token === undefined || token.isRevoked) return { ...badCredentials(), counted: 0 };
    const isQuery = seen.path === "/graphql";
    const wait = this.budgets.tooFast(isQuery ? isMutation(String(seen.body["query"])) : seen.method !== "GET");
    if (wait !== undefined) return { ...secondaryLimit(wait), counted: 0 };
    if (isQuery) return this.#graphql(seen, token);
    return this.#rest(request, seen, { url, hasBody, token });
  }

  async #graphql({ body }: SeenRequest, { login, canWrite = true }: Token): Promise<Sent> {
    const before = this.budgets.used.graphql;
    const answer = await answerGraphql({
      state: isMutation(String(body["query"])) ? this.state : this.#seenState(),
      viewer: login,
      forge: this.forge,
      canWrite,
      age: this.age,
      web: this.url,
      query: String(body["query"]),
      variables: (body["variables"] ?? {}) as Record<string, unknown>,
      take: (points) => this.budgets.take("graphql", points),
      told: (cost) => this.budgets.told(cost),
    });
    return {
      status: 200,
      headers: this.budgets.headers("graphql"),
      body: this.alter(answer),
      counted: this.budgets.used.graphql - before,
    };
  }

  async #rest(
    request: IncomingMessage,
    seen: SeenRequest,
    { url, hasBody, token }: { readonly url: URL; readonly hasBody: boolean; readonly token: Token },
  ): Promise<Sent> {
    const operation = operationOf(seen.method, seen.path);
    if (operation === undefined) return { ...notFound(), counted: 0 };
    const wrong = wrongIn(operation, url.searchParams, hasBody ? seen.body : undefined);
    if (wrong !== undefined)
      return {
        status: 422,
        body: { message: `Validation Failed: ${wrong}`, documentation_url: "https://docs.github.com/rest" },
        counted: 0,
      };
    if (this.budgets.left("core") === 0 && !this.budgets.limits.isOff) {
      const body = { message: "API rate limit exceeded for user ID 1.", documentation_url: "https://docs.github.com/rest" };
      return { status: 403, headers: this.budgets.headers("core"), body, counted: 0 };
    }
    const isRead = seen.method === "GET";
    const prefix = url.pathname.startsWith("/api/v3/") ? this.enterpriseUrl : this.url;
    const asked: RestRequest = {
      operation,
      query: url.searchParams,
      body: seen.body,
      state: isRead ? this.#seenState() : this.state,
      viewer: token.login,
      canLabel: token.canLabel,
      now: this.#now(),
      api: prefix,
      web: this.url,
    };
    const { canWrite = true, isAdmin = false } = token;
    const byForge = async () => this.#keeper(isRead)(await answerForge({ ...asked, forge: this.forge, canWrite, isAdmin }));
    const answer = !isForgeRequest(asked)
      ? this.#keeper(isRead)(answerRest(asked))
      : await (isRead ? byForge() : this.forge.exclusive(byForge));
    const mistake = wrongAnswer(operation, answer.status, answer.body);
    if (mistake !== undefined) throw new Error(`the stand-in's own answer to ${seen.method} ${seen.path} is wrong: ${mistake}`);
    const address = `${this.url}${url.pathname}${url.search}`;
    return conditional(answer, { headers: request.headers, address, budgets: this.budgets });
  }

  /** Keeps the state from before a write, unless the write has done so. */
  #keeper(isRead: boolean): (answer: RestAnswer) => RestAnswer {
    const before = isRead ? undefined : structuredClone(this.state);
    const { count } = this.#history;
    return (answer) => {
      if (answer.isWrite && before !== undefined && count === this.#history.count) this.#history.keep(before, this.#now());
      return answer;
    };
  }

  #keep(): void {
    this.#history.keep(structuredClone(this.state), this.#now());
  }

  #seenState(): State {
    const { staleWrites, staleMs } = this;
    if (staleWrites > 0) return this.#history.writesAgo(staleWrites) ?? this.state;
    return (staleMs === 0 ? undefined : this.#history.at(this.#now() - staleMs)) ?? this.state;
  }
}
