import type { VendorKind } from "../../domain/batch/vendors.ts";
import type { AgentStop } from "../../domain/run/agent-event.ts";
import type { AgentTask } from "../../ports/agent.ts";
import type { ModelAccess } from "../../ports/executor.ts";
import type { ModelApi, Price } from "../../ports/gateway.ts";
import type { SessionLogFormat } from "../../ports/session-logs.ts";
import type { EventFormat } from "./event-format.ts";

/** What the batch says of an agent that is a vendor's program. */
export interface ProgramOptions {
  /** The program's absolute path. */
  readonly program: string;
  /** The model's name as the program takes it; the program's own choice where it is left out. */
  readonly model?: string;
  /** The model's API, where the batch names one. */
  readonly baseUrl?: string;
  /** Whose account the engine's key belongs to: the program speaks to its model in another way for each. */
  readonly billing?: "api" | "subscription";
  readonly effort?: "low" | "medium" | "high";
  /** Turns of the model in one attempt at most, where the program can bound them. */
  readonly turns?: number;
  /** Tries of a failed request of the model's API after the first; the program's own default takes minutes. */
  readonly retries?: number;
  /** Dollars that one attempt may cost, for programs that can stop by themselves. The gateway cuts the line in any case. */
  readonly usdPerAttempt: number;
}

/** How a program is started for one attempt. */
export interface ProgramLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly baseUrls: ModelAccess["baseUrls"];
}

/**
 * A command line that gives a program its prompt on stdin. The script is constant, and what it reads is in the environment:
 * nothing of a ticket is ever part of it.
 */
export function promptOnStdin(argv: readonly string[]): readonly string[] {
  return ["/bin/sh", "-c", 'exec "$@" < "$LOOPDASH_PROMPT"', "sh", ...argv];
}

/** A vendor's coding agent: how it is started, what it prints, and what its models cost. */
export interface AgentProgram {
  readonly kind: VendorKind;
  /** The version that test/agents drives: that of .ci/agents/package.json. */
  readonly tested: string;
  /** The API that it speaks with its model. */
  readonly api: ModelApi;
  /** Where the vendor serves that API, and how it takes the key of an account. */
  readonly baseUrl: string;
  readonly keyHeader: "x-api-key" | "x-goog-api-key" | "bearer";
  /** What its vendor's models cost. A batch's own prices go before these. */
  readonly prices: readonly Price[];
  /** Variables, beside HOME and those of XDG, that make it keep what is its own in this folder. */
  readonly homeEnv: (folder: string) => Readonly<Record<string, string>>;
  readonly events: EventFormat;
  /** What its exit codes say that its events do not. */
  readonly exitStops?: Readonly<Record<number, AgentStop>>;
  /** What it logs of the sessions that people have with it, if it logs them with what each answer used. */
  readonly sessions?: (env: NodeJS.ProcessEnv) => SessionLogFormat;
  /** Whether it asks for this model by this very name, so that a missing price can be told before it starts; default: never. */
  handsOn?(model: string): boolean;
  /** Writes its settings into the session folder of the task, which is empty, and says how it is started. */
  prepare(task: Pick<AgentTask, "session" | "worktree">, options: ProgramOptions): Promise<ProgramLaunch>;
  /** Set for a program that would try a failed request for ever: after this many in a row the attempt is ended. */
  failures?(options: ProgramOptions): number;
}
