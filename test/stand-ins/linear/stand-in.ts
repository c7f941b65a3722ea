import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Asked, answer, type Checked, check } from "./answer.ts";
import { anEmptyWorld, uuidOf, type World } from "./model.ts";
import { Writer } from "./mutations.ts";

/** How a request goes wrong. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | "reset"
  | "truncate"
  | "hang";

/** A request as tests see it: never its token. */
export interface Seen {
  /** The name of its operation, such as `LoopdashIssues`. */
  readonly name: string;
  readonly isWrite: boolean;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly complexity: number;
}

export interface LinearStandInOptions {
  readonly world?: World;
  /** Requests and points of an hour. */
  readonly budget?: { readonly requests: number; readonly complexity: number };
  /** The server's clock; default: the system's. */
  readonly now?: () => number;
  /** What the editor makes of Markdown; default: nothing. */
  readonly markdown?: (text: string) => string;
  /** A file without which the server is away. */
  readonly home?: string;
}

const HOUR_MS = 3_600_000;
const KEPT = 50;

/** A server that answers as Linear's API does, from a world in memory. */
export class LinearStandIn {
  /** The token that works from the beginning. */
  static readonly TOKEN = "lin_api_stand-in";
  world: World;
  readonly log: Seen[] = [];
  /** A fault instead of the answer. With `after`, the request has its effect first. */
  fault: (request: Seen) => Fault | { readonly after: Fault } | undefined = () => undefined;
  /** Changes what an answer holds. */
  tamper: (data: unknown, request: Seen) => unknown = (data) => data;
  /** Called before each request is answered, as somebody else who acts at that moment. */
  before: (request: Seen) => void = () => undefined;
  /** Readings show the world as it was so many writes ago. */
  staleWrites = 0;
  /** Readings show the world as it was so many milliseconds ago, as far as it is kept. */
  staleMs = 0;
  /** Answers do not tell the server's time. */
  isWithoutDate = false;
  readonly #options: LinearStandInOptions;
  readonly #tokens = new Map<string, { readonly user: string; readonly until?: number }>();
  /** Earlier worlds, and until when each was. */
  readonly #past: { readonly world: string; readonly until: number }[] = [];
  readonly #server: Server;
  #spent = { requests: 0, complexity: 0, since: 0 };
  #last = 0;
  #skew = 0;

  constructor(options: LinearStandInOptions = {}) {
    this.#options = options;
    this.world = options.world ?? anEmptyWorld();
    this.grant(LinearStandIn.TOKEN);
    this.#spent = { requests: 0, complexity: 0, since: this.now() };
    this.#server = createServer((request, response) => void this.#serve(request, response).catch(() => response.destroy()));
  }

  /** Starts a server on a free port of this machine. */
  static async start(options: LinearStandInOptions = {}): Promise<LinearStandIn> {
    const standIn = new LinearStandIn(options);
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/graphql`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Lets a token work, for a user, until a time of the server's clock. */
  grant(token: string, { user = "loopdash", until }: { readonly user?: string; readonly until?: number } = {}): void {
    this.#tokens.set(token, { user: uuidOf(`user ${user}`), ...(until !== undefined && { until }) });
  }

  revoke(token: string): void {
    this.#tokens.delete(token);
  }

  now(): number {
    return (this.#options.now?.() ?? Date.now()) + this.#skew;
  }

  /** Lets the server's clock go forward. Milliseconds. */
  advance(ms: number): void {
    this.#skew += ms;
  }

  /** Writes, for what people do. */
  get people(): Writer {
    this.#remember();
    return this.#writer();
  }

  /** What the present hour has taken of the budget. */
  get spent(): { readonly requests: number; readonly complexity: number } {
    return this.#spent;
  }

  /** The names of the requests since the last call. */
  asked(): readonly string[] {
    return this.log.splice(0).map(({ name }) => name);
  }

  #writer(): Writer {
    const tick = (): string => {
      this.#last = Math.max(this.now(), this.#last + 1);
      return new Date(this.#last).toISOString();
    };
    return new Writer(this.world, { tick, markdown: this.#options.markdown ?? ((written) => written) });
  }

  #remember(): void {
    this.#past.push({ world: JSON.stringify(this.world), until: this.now() });
    if (this.#past.length > KEPT) this.#past.shift();
  }

  /** The world that a reading sees. */
  #seen(): World {
    const past = this.staleWrites > 0 ? (this.#past.at(-this.staleWrites) ?? this.#past[0]) : this.#ago();
    return past === undefined ? this.world : (JSON.parse(past.world) as World);
  }

  #ago(): { readonly world: string } | undefined {
    return this.staleMs > 0 ? this.#past.find(({ until }) => until > this.now() - this.staleMs) : undefined;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    response.sendDate = false;
    if (!this.isWithoutDate) response.setHeader("date", new Date(this.now()).toUTCString());
    const { home } = this.#options;
    if (home !== undefined && !existsSync(home)) return send(response, 503, "away", "text/plain");
    const viewer = this.#viewerOf(request.headers.authorization ?? "");
    if (viewer === undefined)
      return send(
        response,
        401,
        refused("Authentication required, not authenticated", "AUTHENTICATION_ERROR", "authentication error"),
      );
    const asked = JSON.parse(body) as Partial<Asked>;
    const checked = check({ query: asked.query ?? "", variables: asked.variables ?? {} });
    if ("code" in checked) return send(response, 400, refused(checked.message, checked.code, "invalid input"));
    if (!this.#spend(checked.complexity, response))
      return send(response, 400, refused("Rate limit exceeded", "RATELIMITED", "ratelimited"));
    const { name, isWrite, complexity, variables } = checked;
    const seen: Seen = { name, isWrite, query: asked.query ?? "", variables, complexity };
    this.log.push(seen);
    this.before(seen);
    const fault = this.fault(seen);
    if (fault !== undefined && !(typeof fault === "object" && "after" in fault)) return fail(response, fault, "{}");
    const answered = JSON.stringify(this.tamper(this.#answer(checked, viewer), seen));
    if (fault !== undefined) return fail(response, fault.after, answered);
    send(response, 200, answered);
  }

  #answer(checked: Checked, viewer: string): unknown {
    if (checked.isWrite) this.#remember();
    return answer(checked, { world: checked.isWrite ? this.world : this.#seen(), writer: this.#writer(), viewer });
  }

  /** Keys are sent as they are, tokens of OAuth as bearers. */
  #viewerOf(authorization: string): string | undefined {
    const bearer = /^Bearer (.+)$/.exec(authorization)?.[1];
    const token = bearer ?? authorization;
    const known = this.#tokens.get(token);
    if (known === undefined || token.startsWith("lin_api_") === (bearer !== undefined)) return undefined;
    return known.until !== undefined && known.until <= this.now() ? undefined : known.user;
  }

  #spend(complexity: number, response: ServerResponse): boolean {
    const { requests, complexity: points } = this.#options.budget ?? { requests: 5_000, complexity: 3_000_000 };
    if (this.now() - this.#spent.since >= HOUR_MS) this.#spent = { requests: 0, complexity: 0, since: this.now() };
    const isAllowed = this.#spent.requests < requests && this.#spent.complexity + complexity <= points;
    if (isAllowed)
      this.#spent = { ...this.#spent, requests: this.#spent.requests + 1, complexity: this.#spent.complexity + complexity };
    const reset = String(this.#spent.since + HOUR_MS);
    response.setHeader("x-complexity", String(complexity));
    response.setHeader("x-ratelimit-requests-limit", String(requests));
    response.setHeader("x-ratelimit-requests-remaining", String(requests - this.#spent.requests));
    response.setHeader("x-ratelimit-requests-reset", reset);
    response.setHeader("x-ratelimit-complexity-limit", String(points));
    response.setHeader("x-ratelimit-complexity-remaining", String(isAllowed ? points - this.#spent.complexity : 0));
    response.setHeader("x-ratelimit-complexity-reset", reset);
    return isAllowed;
  }
}

function refused(message: string, code: string, type: string): string {
  return JSON.stringify({ errors: [{ message, extensions: { code, type, userError: true } }] });
}

function send(response: ServerResponse, status: number, body: string, type = "application/json; charset=utf-8"): void {
  response.writeHead(status, { "content-type": type });
  response.end(body);
}

function fail(response: ServerResponse, fault: Fault, whole: string): void {
  if (fault === "hang") return;
  if (fault === "reset") return void response.socket?.resetAndDestroy();
  if (fault === "truncate") {
    const half = whole.slice(0, whole.length / 2);
    return send(response, 200, half);
  }
  const { status, headers = {}, body = "" } = fault;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  send(
    response,
    status,
    typeof body === "string" ? body : JSON.stringify(body),
    typeof body === "string" ? "text/plain" : undefined,
  );
}
