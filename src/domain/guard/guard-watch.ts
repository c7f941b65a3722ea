import { CANARY_CALL, RULES, type RuleId, SHELL_TOOLS } from "@loopdash/guard";
import { isObject, type JsonObject, parseJson } from "@loopdash/values";
import type { AgentEvent } from "../run/agent-event.ts";
import { plainText, plural, wholeWords } from "../values/text.ts";

/** Characters of a line of the report that is read; a hook writes shorter ones. */
export const REPORT_LINE_CHARS = 8_192;
/** Characters of a command in a fact. */
const COMMAND_CHARS = 200;
const UNMET_CHARS = 300;

/** A line of the report that a guard's hooks write. It comes from the sandbox, where an agent can write the same. */
export type ReportLine =
  | { readonly what: "session-start" }
  | { readonly what: "judged"; readonly isShell: boolean; readonly blocked?: { readonly rule: RuleId; readonly command: string } }
  | { readonly what: "stop"; readonly unmet: string; readonly n: number; readonly of: number };

/** Reads a line of a report; undefined if a hook does not write such a line. All texts are plain and bounded. */
export function readReportLine(line: string): ReportLine | undefined {
  if (line.length > REPORT_LINE_CHARS) return undefined;
  const value = objectIn(line);
  if (value === undefined || value["id"] === CANARY_CALL) return undefined;
  switch (value["event"]) {
    case "session-start":
      return { what: "session-start" };
    case "stop":
      return stopIn(value);
    case "before-tool":
      return judgedIn(value);
    default:
      return undefined;
  }
}

/** A stop at which the agent was told something. */
function stopIn({ unmet, n, of }: JsonObject): ReportLine | undefined {
  if (typeof unmet !== "string" || !isCount(n) || !isCount(of)) return undefined;
  return { what: "stop", unmet: plainText(wholeWords(unmet, UNMET_CHARS), UNMET_CHARS + 2), n, of };
}

function judgedIn({ verdict, tool, rule, subject }: JsonObject): ReportLine | undefined {
  const isShell = Object.values(SHELL_TOOLS).some((name) => name === tool);
  if (verdict === "allow") return { what: "judged", isShell };
  // What cannot be judged is blocked as a line that cannot be read.
  const by = verdict === "problem" ? "unreadable" : verdict === "block" ? rule : undefined;
  if (typeof by !== "string" || !Object.hasOwn(RULES, by)) return undefined;
  const command = typeof subject === "string" ? plainText(wholeWords(subject, COMMAND_CHARS), COMMAND_CHARS + 2) : "";
  return { what: "judged", isShell, blocked: { rule: by as RuleId, command } };
}

function objectIn(line: string): JsonObject | undefined {
  const value = parseJson(line);
  return isObject(value) ? value : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= 1_000;
}

/**
 * Compares what an agent's program tells of its commands with what the guard tells of them. A program may tell of a command before
 * the report is read, so a difference counts once it has lasted.
 */
export class GuardComparison {
  #hasStarted = false;
  #usesTools = false;
  /** Shell commands whose result the program has told, and those that the guard has judged. */
  #run = 0;
  #judged = 0;
  readonly #shellCalls = new Set<string>();

  /** Takes an event of the program. */
  event(event: AgentEvent): void {
    if (event.what === "tool") {
      this.#usesTools = true;
      if (event.action?.does === "run") this.#shellCalls.add(event.call ?? "");
    } else if (event.what === "result" && this.#shellCalls.delete(event.call ?? "")) this.#run += 1;
    // A program that never tells of results must not fill the memory.
    if (this.#shellCalls.size > MOST_CALLS) this.#shellCalls.clear();
  }

  /** Takes a line of the report. */
  line(line: ReportLine): void {
    if (line.what === "session-start") this.#hasStarted = true;
    else if (line.what === "judged" && line.isShell) this.#judged += 1;
  }

  /** The reason to call the guard dead by what is known now; undefined if there is none. */
  get why(): string | undefined {
    if (this.#usesTools && !this.#hasStarted) return "it did not report the start of the session before the first tool was used";
    const unjudged = this.#run - this.#judged;
    return unjudged > 0 ? `${plural(unjudged, "shell command")} ran without being judged` : undefined;
  }
}

/** Calls under way at the same time. */
const MOST_CALLS = 1_000;

/** The command that a rule offers instead. It comes from the table, and not from the report. */
export function ruleAlternative(rule: RuleId): string {
  return RULES[rule].alternative;
}
