import type { RunClock } from "./run-clock.ts";

/** What the network does to one request: how long it takes there and back in milliseconds, and what it makes of both texts. */
export interface Passage {
  readonly there: number;
  readonly back: number;
  readonly outgoing: (address: string, body: string) => { readonly address: string; readonly body: string };
  readonly incoming: (body: string) => string;
}

type Fetch = typeof globalThis.fetch;
type Late = ReturnType<typeof globalThis.setTimeout>;

/** Turns of the event loop without any request, timer or answer after which only time makes anything happen. */
const STILL_TURNS = 4;

/** An address at which no server listens, and to which `fetch` connects: it refuses many low ports. */
const NOBODY = "http://127.0.0.1:2";
let connected: Promise<unknown> | undefined;

/**
 * Makes this process try to connect before it has the clock of a run. All connections of a process have one timer, which `fetch` makes
 * for the first of them (undici, lib/util/timers.js). If that timer were a run's, it would end with the run, and what later connections
 * wait for would be kept for good.
 */
export async function startConnectionTimer(): Promise<void> {
  connected ??= fetch(NOBODY).catch(() => undefined);
  await connected;
}

/**
 * The network between loopdash and a stand-in, by the clock of a run. While it is open, `fetch`, `setTimeout` and
 * `AbortSignal.timeout` of this process are its own, because libraries of services wait by them. It has one request at the server at
 * a time, so that a run is a function of its seed. What an engine that is killed had begun goes no further.
 */
export class Network {
  readonly #clock: RunClock;
  readonly #passage: () => Passage;
  readonly #saved = { fetch: globalThis.fetch, later: globalThis.setTimeout, never: globalThis.clearTimeout };
  readonly #timeout = AbortSignal.timeout;
  readonly #cancels = new WeakMap<object, () => void>();
  readonly #limits = new WeakMap<AbortSignal, () => void>();
  #turn: Promise<unknown> = Promise.resolve();
  #life = 0;
  readonly #requests = new Set<{ isAtWork: boolean }>();
  #current: { isAtWork: boolean } | undefined;
  #changes = 0;

  constructor(clock: RunClock, passage: () => Passage) {
    this.#clock = clock;
    this.#passage = passage;
    globalThis.fetch = ((address, init) => this.#fetch(address, init)) as Fetch;
    globalThis.setTimeout = ((then: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
      this.#later(() => then(...given), ms)) as typeof globalThis.setTimeout;
    globalThis.clearTimeout = ((timer?: Late) => this.#never(timer)) as typeof globalThis.clearTimeout;
    AbortSignal.timeout = (ms) => this.#limit(ms);
  }

  /** Gives the process its own functions back. */
  close(): void {
    const { fetch, later, never } = this.#saved;
    Object.assign(globalThis, { fetch, setTimeout: later, clearTimeout: never });
    AbortSignal.timeout = this.#timeout;
  }

  /** Ends what the present engine has begun. */
  cut(): void {
    this.#life += 1;
    this.#turn = Promise.resolve();
  }

  /** The server keeps the request that it has just got and never answers: only time goes on. */
  hang(): void {
    if (this.#current !== undefined) this.#current.isAtWork = false;
  }

  /** Waits by the clock, unless the engine ends. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#later(resolve, ms));
  }

  /** Settles once nothing but time makes anything happen. */
  async settle(busy: () => number): Promise<void> {
    for (let still = 0, seen = -1; still < STILL_TURNS; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = this.#changes + busy();
      const isAtWork = [...this.#requests].some((each) => each.isAtWork);
      still = now === seen && !isAtWork ? still + 1 : 0;
      seen = now;
    }
  }

  #later(then: () => void, ms: number): Late {
    const life = this.#life;
    this.#changes += 1;
    const fire = (): void => {
      this.#changes += 1;
      if (life === this.#life) then();
    };
    // As timers of the system take what is no number.
    const isLater = ms > 0;
    const timer = { ref: () => timer, unref: () => timer, hasRef: () => false };
    if (isLater) this.#cancels.set(timer, this.#clock.after(ms, fire));
    else this.#cancels.set(timer, () => clearImmediate(soon));
    const soon = isLater ? undefined : setImmediate(fire);
    return timer as unknown as Late;
  }

  #never(timer: Late | undefined): void {
    const cancel = typeof timer === "object" ? this.#cancels.get(timer) : undefined;
    if (cancel === undefined) this.#saved.never(timer);
    else cancel();
  }

  #limit(ms: number): AbortSignal {
    const controller = new AbortController();
    const end = (): void => controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    this.#limits.set(controller.signal, this.#clock.after(ms, end));
    return controller.signal;
  }

  /** One request after another; a later one waits for the answer of the one before, or until that is given up. */
  #fetch(address: Parameters<Fetch>[0], init: RequestInit = {}): Promise<Response> {
    const life = this.#life;
    this.#changes += 1;
    const sent = this.#turn.then(() => this.#pass(life, String(address), init));
    this.#turn = sent.then(
      () => undefined,
      () => undefined,
    );
    // A failure would wake up a killed engine, which repeats its reading and goes on to write.
    return new Promise((resolve, reject) => {
      sent.then(
        (answer) => life === this.#life && resolve(answer),
        (error: unknown) => life === this.#life && reject(error),
      );
    });
  }

  async #pass(life: number, address: string, init: RequestInit): Promise<Response> {
    const { there, back, outgoing, incoming } = this.#passage();
    const signal = init.signal ?? undefined;
    try {
      await this.#travel(there, signal);
      this.#mustLive(life);
      const to = outgoing(address, typeof init.body === "string" ? init.body : "");
      const answer = await this.#answer(to.address, { ...init, ...(init.body !== undefined && { body: to.body }) });
      await this.#travel(back, signal);
      this.#mustLive(life);
      if (answer.bytes === undefined) return new Response(null, answer);
      // What is cut off is cut off for the reader too.
      const text = answer.problem === undefined ? incoming(answer.bytes.toString("utf8")) : answer.bytes;
      return new Response(answer.problem === undefined ? text : brokenOff(answer.bytes, answer.problem), answer);
    } finally {
      if (signal !== undefined) this.#limits.get(signal)?.();
      this.#changes += 1;
    }
  }

  #mustLive(life: number): void {
    if (life !== this.#life) throw new TypeError("fetch failed", { cause: new Error("the engine was killed") });
  }

  async #travel(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (ms === 0) return;
    await new Promise<void>((resolve, reject) => {
      const cancel = this.#clock.after(ms, resolve);
      signal?.addEventListener("abort", () => {
        cancel();
        reject(signal.reason);
      });
    });
  }

  /** The whole answer of the server. Each request has a connection of its own: one that was reset would fail another one. */
  async #answer(
    address: string,
    init: RequestInit,
  ): Promise<{ status: number; statusText: string; headers: Headers; bytes: Buffer | undefined; problem: unknown }> {
    const headers = new Headers(init.headers);
    headers.set("connection", "close");
    const request = { isAtWork: true };
    this.#requests.add(request);
    this.#current = request;
    try {
      const response = await this.#saved.fetch(address, { ...init, headers });
      const { status, statusText } = response;
      const chunks: Uint8Array[] = [];
      let problem: unknown;
      try {
        for await (const chunk of response.body ?? []) chunks.push(chunk);
      } catch (error) {
        problem = error;
      }
      const bytes = response.body === null ? undefined : Buffer.concat(chunks);
      return { status, statusText, headers: response.headers, bytes, problem };
    } finally {
      this.#requests.delete(request);
      this.#changes += 1;
    }
  }
}

function brokenOff(bytes: Buffer, problem: unknown): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      if (bytes.length > 0) controller.enqueue(new Uint8Array(bytes));
      controller.error(problem);
    },
  });
}
