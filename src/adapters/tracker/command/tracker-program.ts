import { basename } from "node:path";
import { findNamedScript } from "../../../domain/batch/commands.ts";
import { plainText } from "../../../domain/values/text.ts";
import { type ExchangeEnding, exchange } from "../../executor/exchange.ts";
import { describeEnding } from "../../executor/exchange-ending.ts";

/** The largest answer of a tracker program. Bytes. */
const MAX_ANSWER = 64 * 1024 * 1024;
/** The time limit of one request, unless another is given. Milliseconds. */
const TIMEOUT_MS = 60_000;

/** A program that is asked about tickets, one process per request (docs/use/tracker-program.md). */
export interface TrackerProgram {
  /** The program as messages name it: `the tracker program "jira.mjs"`. Safe for a terminal. */
  readonly name: string;
  /**
   * Its answer to a verb; `input` is sent as one JSON line on stdin. Rejects with a TrackerProgramError if the program does not
   * start, runs out of time, prints too much or does not exit with 0.
   */
  ask(verb: string, input?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** A program and what it may use. */
export interface TrackerProgramOptions {
  /** Program and arguments; the verb is added as the last one. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment. Called for each request, because secrets are renewed. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** Time limit of a request. Milliseconds; default 60,000. */
  readonly timeoutMs?: number;
  /** Takes secrets out of what the program printed, before any of it is cut. */
  readonly mask?: ((text: string) => string) | undefined;
}

/** The tracker program gave no answer. The message quotes its last line of stderr; it is safe for a terminal. */
export class TrackerProgramError extends Error {
  override readonly name = "TrackerProgramError";
  /** Undefined if it did not start, or was ended. */
  readonly exitCode: number | undefined;

  constructor(message: string, exitCode?: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A tracker program as a function of a verb. It keeps nothing between two requests. */
export function trackerProgram(options: TrackerProgramOptions): TrackerProgram {
  const { command, cwd, environment, timeoutMs = TIMEOUT_MS, mask = (text) => text } = options;
  const argv = command as readonly [string, ...string[]];
  const shown = basename(argv[findNamedScript(argv)?.at ?? 0] ?? "");
  const name = `the tracker program ${JSON.stringify(plainText(shown, 100))}`;
  return {
    name,
    async ask(verb, input) {
      const ending = await exchange({
        argv: [...command, verb],
        cwd,
        env: await environment(),
        input: input === undefined ? "" : `${JSON.stringify(input)}\n`,
        timeoutMs,
        maxBytes: MAX_ANSWER,
      });
      if (ending.how !== "exited" || ending.exitCode !== 0)
        throw failure(`${name} ${describeEnding(ending, { timeoutMs, mask, maxBytes: MAX_ANSWER })}`, ending);
      return decoded(ending.stdout, `${name} answered "${plainText(verb, 40)}" with bytes that are not UTF-8`);
    },
  };
}

function failure(message: string, ending: ExchangeEnding): TrackerProgramError {
  return new TrackerProgramError(message, ending.how === "exited" ? ending.exitCode : undefined);
}

function decoded(bytes: Buffer, problem: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new TrackerProgramError(problem, 0);
  }
}
