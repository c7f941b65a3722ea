/** The shapes of model API that the gateway knows: what may be asked of them, and where they say what it cost. */
export type ModelApi = "anthropic" | "openai" | "gemini";

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

/** What a model costs. */
export interface Price extends Rates {
  /** The model's name; `*` stands for any characters. The first price of the list whose name fits counts. */
  readonly model: string;
  /** Tokens that it can write at most in one answer, for requests that set no limit; default 128,000. */
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

/** What one answer of a model used. */
export interface ModelUsage {
  /** As the answer names it, else as the request did; safe for a terminal. */
  readonly model: string;
  /** Tokens; those read from and written to the cache are not among `input`. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Dollars; null where they are not known: no price, no usage in the answer, an answer cut short or malformed. */
  readonly usd: number | null;
  /** Dollars that it counts as: `usd`, or what was reserved for it. */
  readonly countedUsd: number;
}

/** The model API that is behind a gateway. */
export interface ModelUpstream {
  readonly api: ModelApi;
  /**
   * As the vendor's own variable has it: `https://api.anthropic.com`, `https://api.openai.com/v1`,
   * `https://generativelanguage.googleapis.com`. Trusted; http or https.
   */
  readonly baseUrl: string;
  /** What the engine adds to each request, asked for each time. Never logged, never let through to the inside. */
  readonly credential?: {
    readonly header: "x-api-key" | "x-goog-api-key" | "bearer";
    readonly value: () => string | Promise<string>;
  };
  /** Certificates (PEM) to trust in place of the system's. */
  readonly ca?: string;
  readonly prices: readonly Price[];
  /** Dollars that all requests through this gateway may cost together. */
  readonly capUsd: number;
  /**
   * Lets requests make the vendor itself reach the network: web search and fetch, MCP servers, code execution, files by
   * URL. Default false: each is a way out of the sandbox.
   */
  readonly vendorReach?: boolean;
  readonly onUsage?: (usage: ModelUsage) => void;
  /** Called when an answer of the vendor begins: its status, and how long it asks to be left alone, in milliseconds. */
  readonly onAnswer?: (answer: { readonly status: number; readonly retryAfterMs?: number }) => void;
  /** Called once, when the line is cut, whoever did it. */
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
  /** For one answer as a whole, however steadily it comes. */
  readonly totalMs: number;
  readonly headBytes: number;
  /** One model request, decoded. */
  readonly bodyBytes: number;
  /** All model requests that are held in memory at a time. */
  readonly heldBytes: number;
  /** One model answer, decoded. */
  readonly answerBytes: number;
  readonly connections: number;
  /** Tunnels and plain requests to hosts that are under way at a time. */
  readonly tunnels: number;
}

export interface GatewayOf {
  /** Folder in which a private folder for the socket is made; another is used where its path is too long for a socket. */
  readonly folder: string;
  /** Hosts that may be reached by CONNECT, or in plain HTTP where the port is named: `name`, `*.name`, `name:port`. */
  readonly hosts?: readonly string[];
  readonly model?: ModelUpstream;
  readonly limits?: Partial<GatewayLimits>;
  /** Addresses of a name, by another way than the system's. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** What went through a gateway so far. */
export interface GatewayTotals {
  readonly spentUsd: number;
  /** Set aside for requests that are under way. */
  readonly reservedUsd: number;
  readonly requests: number;
  readonly tunnels: number;
  /** Through tunnels and plain requests. */
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly refused: number;
  /** Why, with how often; at most 50 different reasons; safe for a terminal. */
  readonly refusals: ReadonlyMap<string, number>;
}

/**
 * The one way out of a sandbox. One per attempt or step: what comes in on its socket is that attempt's, whatever its
 * headers say.
 */
export interface Gateway {
  /** The Unix socket; a sandbox lets it through (Confinement.sockets). */
  readonly socketPath: string;
  totals(): GatewayTotals;
  /** Why the line is cut; undefined while it is not. */
  cutReason(): string | undefined;
  /** Ends everything that is under way and refuses everything later. The first reason counts. */
  cut(reason: string): void;
  /** Ends everything, and removes the socket. */
  close(): Promise<void>;
}
