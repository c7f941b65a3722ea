import type { ModelApi, Price } from "@loopdash/model-gateway";
import type { PlatformSpec } from "../../domain/batch/platform-spec.ts";
import type { VendorKind } from "../../domain/batch/vendors.ts";
import type { AgentStop } from "../../domain/run/agent-event.ts";
import type { AgentTask } from "../../ports/agent.ts";
import type { ModelAccess } from "../../ports/executor.ts";
import type { SessionLogFormat } from "../../ports/session-logs.ts";
import type { EventFormat } from "./event-format.ts";
import type { InstalledGuard } from "./guard-files.ts";

/** The batch's settings of an agent that is a vendor's program. */
export interface ProgramOptions {
  /** The program's absolute path. */
  readonly program: string;
  /** The model's name in the program's own terms; default: the program's own choice. */
  readonly model?: string;
  /** The model's API, if the batch names one. */
  readonly baseUrl?: string;
  /** The cloud that serves the model, if the batch names one. Only programs that the table of vendors has for it get one. */
  readonly platform?: PlatformSpec;
  /** The kind of the engine's key: the program speaks to its model in another way for each. */
  readonly billing?: "api" | "subscription";
  readonly effort?: "low" | "medium" | "high";
  /** Turns of the model in one attempt at most, if the program can bound them. */
  readonly turns?: number;
  /** Retries of a failed request to the model's API; the program's own default takes minutes. */
  readonly retries?: number;
  /** Dollars that one attempt may cost, for programs that can stop by themselves. The gateway cuts the line in any case. */
  readonly usdPerAttempt: number;
}

/** The command and environment of a program for one attempt. */
export interface ProgramLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly baseUrls: ModelAccess["baseUrls"];
  /** Files and folders of the session folder that a confined program may not change; default: none. */
  readonly readOnly?: readonly string[];
}

/**
 * A command line that gives a program its prompt on stdin. The script is constant and reads only the environment: no text of a
 * ticket is ever part of it.
 */
export function promptOnStdin(argv: readonly string[]): readonly string[] {
  return ["/bin/sh", "-c", 'exec "$@" < "$LOOPDASH_PROMPT"', "sh", ...argv];
}

/** A vendor's coding agent: its start, its output, and the prices of its models. */
export interface AgentProgram {
  readonly kind: VendorKind;
  /** The version that test/agents drives: that of .ci/agents/package.json. */
  readonly tested: string;
  /** The API between it and its model. */
  readonly api: ModelApi;
  /** The vendor's address of that API, and the header for an account's key. */
  readonly baseUrl: string;
  readonly keyHeader: "x-api-key" | "x-goog-api-key" | "bearer";
  /** Another API that it uses with a login; default: the same. */
  readonly subscription?: { readonly api: ModelApi; readonly baseUrl: string };
  /** Prices of its vendor's models. A batch's own prices take precedence. */
  readonly prices: readonly Price[];
  /** Variables, beside HOME and those of XDG, that make it keep its own files in this folder. */
  readonly homeEnv: (folder: string) => Readonly<Record<string, string>>;
  readonly events: EventFormat;
  /** The stops that its exit codes report and its events do not. */
  readonly exitStops?: Readonly<Record<number, AgentStop>>;
  /** Its logs of people's own sessions, if they contain the usage of each answer. */
  readonly sessions?: (env: NodeJS.ProcessEnv) => SessionLogFormat;
  /** True if it uses this very name of the model, so that a missing price can be reported before its start; default: never. */
  handsOn?(model: string): boolean;
  /** Writes its settings into the session folder of the task, which is empty, and gives its launch. */
  prepare(
    task: Pick<AgentTask, "session" | "worktree"> & { readonly guard?: InstalledGuard },
    options: ProgramOptions,
  ): Promise<ProgramLaunch>;
  /** Set for a program that would retry a failed request for ever: after so many failures in a row the attempt is ended. */
  failures?(options: ProgramOptions): number;
}
