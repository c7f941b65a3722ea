import type { ServiceAccess } from "../../src/adapters/oracle/service-line.ts";
import type { TicketService } from "../../src/adapters/tracker/service/ticket-service.ts";
import type { ServiceSpec } from "../../src/domain/batch/tracker-spec.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import type { Mishap, Weather } from "./faults.ts";
import type { RunClock } from "./run-clock.ts";

/** The two services. */
export const SERVICES = ["linear", "github"] as const;
export type ServiceName = (typeof SERVICES)[number];

/** An issue as the stand-in's own world has it, read without loopdash. */
export interface RealIssue {
  readonly title: string;
  readonly body: string;
  readonly state: "open" | "done" | "human-gated";
  /** Comments of loopdash's user. */
  readonly own: readonly string[];
  /** Comments of everybody else. */
  readonly others: readonly string[];
  /** True if loopdash took it back: it counts for nobody. */
  readonly isWithdrawn: boolean;
}

/** An issue of the batch, before the run. */
export interface SeededIssue {
  readonly title: string;
  readonly body: string;
  /** The numbers of the issues that block it. */
  readonly blockedBy: readonly number[];
}

/** What a person does to one issue. */
export type PersonAct =
  | { readonly do: "retitle" | "rewrite" | "comment"; readonly text: string }
  | { readonly do: "gate"; readonly step: string }
  | { readonly do: "close" | "reopen" };

/** What one side of the campaign is given. */
export interface SideOptions {
  readonly clock: RunClock;
  readonly weather: Weather;
  readonly issues: readonly SeededIssue[];
  /** Called when the server has got a request; it decides what goes wrong with it. */
  readonly onRequest: (request: { readonly name: string; readonly isWrite: boolean }) => Mishap;
  /** The adapter's waits. */
  readonly wait: (ms: number) => Promise<void>;
}

/** A service as the campaign sees it: its stand-in, loopdash's adapter, and what people do. */
export interface ServiceSide {
  readonly spec: ServiceSpec;
  readonly ids: readonly TicketId[];
  readonly access: ServiceAccess;
  /** Names that begin ids, and their repositories. */
  readonly repos: Readonly<Record<string, string>>;
  /** A new adapter, as an engine makes it when it starts. */
  open(): TicketService;
  act(id: TicketId, act: PersonAct): void;
  /** All issues, by their numbers. */
  issues(): ReadonlyMap<number, RealIssue>;
  /** What the stand-in itself did wrong. */
  mistakes(): readonly string[];
  /** Changes the text of a request or an answer on its way. */
  outgoing(address: string, body: string): { readonly address: string; readonly body: string };
  incoming(body: string): string;
  close(): Promise<void>;
}

/** What is left to a person by the first line of a comment; undefined if there is none. */
export function stepIn(body: string): string | undefined {
  return /^Human step: (.+)$/.exec(body.split("\n", 1)[0] ?? "")?.[1];
}

/** The JSON text with changed items in the lists that `sortTickets` finds in it. A text that is no JSON stays. */
export function withLists(
  text: string,
  listsOf: (root: unknown) => readonly unknown[],
  change: (items: readonly unknown[]) => readonly unknown[],
): string {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return text;
  }
  for (const list of listsOf(root)) if (Array.isArray(list)) list.splice(0, list.length, ...change([...list]));
  return JSON.stringify(root);
}

/** The token of the service, which ends at a time; then `renew` gives another one. */
export class Tokens {
  readonly #grant: (token: string, until: number | undefined) => void;
  readonly #prefix: string;
  #present: string;
  #n = 1;

  constructor(prefix: string, grant: (token: string, until: number | undefined) => void, until: number | undefined) {
    this.#prefix = prefix;
    this.#grant = grant;
    this.#present = `${prefix}1`;
    grant(this.#present, until);
  }

  get(): Promise<string> {
    return Promise.resolve(this.#present);
  }

  /** Fetches the token again after it was refused. */
  renew(refused: string): Promise<string> {
    if (refused === this.#present) {
      this.#n += 1;
      this.#present = `${this.#prefix}${this.#n}`;
      this.#grant(this.#present, undefined);
    }
    return this.get();
  }
}
