import type { BlockedConnection } from "./blocked-connection.ts";
import type { HostSpec } from "./host-spec.ts";

import type { Masker, SecretSource } from "./secret-source.ts";

/** The model APIs that the gateway knows: their requests, and where their answers give the cost. */
export type ModelApi = "anthropic" | "openai" | "gemini" | "code-assist";

/** A cloud that serves a vendor's models under its own paths. Only this model of this project and region is open. */
export type ModelPlatform =
  | { readonly kind: "bedrock"; readonly model: string }
  | { readonly kind: "vertex"; readonly project: string; readonly region: string; readonly model: string };

/** US dollars per million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** Writing to a cache that lives some minutes. */
  readonly cacheWrite: number;
  /** Writing to a cache that lives an hour; default: twice `input`, as Anthropic's price list has it. */
  readonly cacheWriteHour?: number;
}

/** The price of a model. */
export interface Price extends Rates {
  /** The model's name; `*` stands for any characters. The first matching price of the list counts. */
  readonly model: string;
  /** Maximum of tokens in one answer, for requests that set no limit; default 128,000. */
  readonly maxOutput?: number;
  /** Other rates for requests with more than `above` tokens of input, cached ones included. */
  readonly long?: Rates & { readonly above: number };
}

/** Tokens of one answer by how they are billed; none is counted twice. */
export interface BilledTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
}

/** The tokens that one answer of a model used. */
export interface ModelUsage {
  /** The name in the answer, or else in the request; safe for a terminal. */
  readonly model: string;
  /** Tokens. Those read from and written to the cache are not among `input`. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Dollars; null if unknown: no price, no usage in the answer, or an answer cut short or malformed. */
  readonly usd: number | null;
  /** Dollars that it counts as: `usd`, or the reserved amount. */
  readonly countedUsd: number;
}

/** The credential that the engine adds to requests to a model's API. */
export interface ModelCredential {
  readonly header: "x-api-key" | "x-goog-api-key" | "bearer";
  readonly value: () => string | Promise<string>;
  /**
   * Another value because the API refused this one (401; 403 of Bedrock); the gateway then repeats the request once. The same
   * value if there is no other.
   */
  readonly renew?: (refused: string) => Promise<string>;
  /** Other headers that belong to the value: an account, for example. They replace the program's own. */
  readonly headers?: () => Promise<Readonly<Record<string, string>>>;
}

/** The account of a login at Google's Code Assist. */
export interface CodeAssistAccount {
  /** The project that is billed. */
  readonly project: string;
  /** Its kind, in Google's words: "free-tier", "standard-tier". */
  readonly tier: string;
}

/** The model API behind a gateway. */
export interface ModelUpstream {
  readonly api: ModelApi;
  /**
   * The base address, as the vendor's own variable has it: `https://api.anthropic.com`, `https://api.openai.com/v1`,
   * `https://generativelanguage.googleapis.com`. Trusted; http or https.
   */
  readonly baseUrl: string;
  /** The cloud that serves the models of this API; default: the vendor itself, or what has the same paths. */
  readonly platform?: ModelPlatform;
  /** Headers that the engine adds to each request, fetched each time. Never logged, and never passed to the inside. */
  readonly credential?: ModelCredential;
  /**
   * Gives the login's account at Google's Code Assist, which bills its project, whatever a request names. Required for that API.
   */
  readonly codeAssist?: () => Promise<CodeAssistAccount>;
  /** Certificates (PEM) to trust in place of the system's. */
  readonly ca?: string;
  readonly prices: readonly Price[];
  /** Dollars that all requests through this gateway may cost together. */
  readonly capUsd: number;
  /**
   * Allows requests that make the vendor itself reach the network: web search and fetch, MCP servers, code execution, files by
   * URL. Default false: each is a way out of the sandbox.
   */
  readonly vendorReach?: boolean;
  readonly onUsage?: (usage: ModelUsage) => void;
  /**
   * Called when the vendor's answer begins, with its status and the wait that it asks for, in milliseconds. Not for a refusal
   * after which the request is repeated.
   */
  readonly onAnswer?: (answer: { readonly status: number; readonly retryAfterMs?: number }) => void;
  /**
   * Called when a request got no answer at all: refused, reset, no such host, out of time. `why`: the cause, safe for a terminal.
   */
  readonly onUnreachable?: (why: string) => void;
  /** Called once when the line is cut, by either side. */
  readonly onCut?: (reason: string) => void;
}

/** Bounds of a gateway; each has a default. Times in milliseconds, sizes in bytes. */
export interface GatewayLimits {
  /** Until a request's head has arrived. */
  readonly headMs: number;
  /** Until a request has arrived whole. */
  readonly requestMs: number;
  /** Until a connection to the outside stands, its name looked up. */
  readonly connectMs: number;
  /** Until an answer begins. */
  readonly answerMs: number;
  /** Without a byte, in an answer or a tunnel. */
  readonly idleMs: number;
  /** Total time of one answer, however steadily it arrives. */
  readonly totalMs: number;
  readonly headBytes: number;
  /** One model request, decoded. */
  readonly bodyBytes: number;
  /** Maximum of all model requests that are held in memory at a time. */
  readonly heldBytes: number;
  /** One model answer, decoded. */
  readonly answerBytes: number;
  readonly connections: number;
  /** Maximum of open tunnels and plain requests to hosts. */
  readonly tunnels: number;
}

/** What a gateway needs to add headers with secrets to requests. */
export interface GatewayCredentials {
  readonly secrets: SecretSource;
  /** Masks what a host sends back. */
  readonly masker: Masker;
  /** Issues the certificates with which TLS to such hosts ends in the gateway. */
  readonly authority: { certificateFor(host: string): { readonly cert: string; readonly key: string } };
  /** Certificates to trust, PEM; default: those of Node. */
  readonly trusted?: string;
}

/** The folder in which a gateway listens; nobody else can enter it. */
export interface SocketLocation {
  readonly socketPath: string;
  remove(): Promise<void>;
}

export interface GatewayOptions {
  /** Makes the folder in which the gateway listens. */
  readonly place: () => SocketLocation;
  /** Hosts that may be reached by CONNECT, or in plain HTTP if the port is named. */
  readonly hosts?: readonly HostSpec[];
  /** Without them, a host that asks for headers with secrets is not reached. */
  readonly credentials?: GatewayCredentials;
  /** The key of these hosts in the batch's `sandboxPolicy.hosts`, for the line that would allow more; default: `agent`. */
  readonly hostsFor?: string;
  /** Called for the first blocked connection to each host and port, for at most 20 of them. */
  readonly onBlocked?: (blocked: BlockedConnection) => void;
  readonly model?: ModelUpstream;
  readonly limits?: Partial<GatewayLimits>;
  /** The variables of this machine that name its proxy (HTTPS_PROXY, NO_PROXY); none of them is told to the inside. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
  /** Resolves a name in place of the system's resolver. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** Traffic and cost of a gateway so far. */
export interface GatewayTotals {
  readonly spentUsd: number;
  /** Set aside for running requests. */
  readonly reservedUsd: number;
  readonly requests: number;
  /** Connections to hosts that were made. */
  readonly tunnels: number;
  /** Connections to hosts that are being made or are open. */
  readonly open: number;
  /** Through tunnels and plain requests. */
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly refused: number;
  /** The reason, with its count; at most 50 different reasons; safe for a terminal. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Names of secrets with which a request was answered otherwise than by 401 or 403: `"a" and "b"` if it had both. */
  readonly acceptedSecrets: ReadonlySet<string>;
  /** The blocked connections, which are not among the reasons: the first 20 by host and port, and the number of others. */
  readonly blocked: readonly BlockedConnection[];
  readonly blockedOthers: number;
}

/**
 * The one way out of a sandbox, one per attempt or step. Everything on its socket belongs to that attempt, whatever its headers
 * say.
 */
export interface Gateway {
  /** The Unix socket; a sandbox lets it through (Confinement.sockets). */
  readonly socketPath: string;
  totals(): GatewayTotals;
  /** The reason why the line is cut; undefined while it is not. */
  cutReason(): string | undefined;
  /** Ends everything that is running and refuses everything later. The first reason counts. */
  cut(reason: string): void;
  /** Ends everything, and removes the socket. */
  close(): Promise<void>;
}
