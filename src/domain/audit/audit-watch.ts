import { CommandClassifier } from "@loopdash/guard";
import type { AgentEvent } from "../run/agent-event.ts";
import { type AuditEntry, type AuditExit, rowBytes } from "./audit-row.ts";

type Tool = Extract<AgentEvent, { what: "tool" }>;
type Result = Extract<AgentEvent, { what: "result" }>;
type Noted = Pick<AuditEntry, "kind" | "command" | "cwd" | "unread">;

/** Calls whose result has not come; the oldest is told as unknown before there are more. */
const MOST_OPEN = 64;
/** Rows of one attempt. A program can print without end; what is beyond is counted. */
const MOST_ROWS = 20_000;
/** Bytes of its rows in the log, about. What is beyond is counted, too. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Files that one tool is said to have changed. */
const MOST_FILES = 200;

/** What an entry of an attempt says beside the attempt itself. */
export type AuditedCommand = Omit<AuditEntry, "ticket" | "attempt" | "vendor">;

/** Turns an agent's events into the entries of the audit log: each mutating command once, when its result is known. */
export class AuditWatch {
  readonly #open = new Map<string, readonly Noted[]>();
  readonly #commands = new CommandClassifier();
  #rows = 0;
  #bytes = 0;
  #isFull = false;
  #leftOut = 0;

  /** Takes the next event. Gives the entries that are complete with it. */
  take(event: AgentEvent): readonly AuditedCommand[] {
    if (event.what === "tool") return this.#begin(event);
    if (event.what === "result") return this.#end(event);
    return [];
  }

  /** The entries of what has no result, now that the program has ended, and of what was left out. */
  end(): readonly AuditedCommand[] {
    const open = [...this.#open.values()].flatMap((noted) => this.#bounded(withExit(noted, () => "unknown")));
    this.#open.clear();
    const rows = this.#leftOut;
    return rows === 0 ? open : [...open, { kind: "left-out", exit: "unknown", command: "", rows }];
  }

  #begin({ action, call = "", text }: Tool): readonly AuditedCommand[] {
    const noted = classifyAction(action, text, this.#commands);
    // Programs that name no calls use one tool at a time, so the one before will have no result.
    const before =
      this.#take(call) ?? (this.#open.size >= MOST_OPEN ? this.#take(this.#open.keys().next().value ?? "") : undefined);
    if (noted.length > 0) this.#open.set(call, noted);
    return this.#bounded(withExit(before ?? [], () => "unknown"));
  }

  #end(event: Result): readonly AuditedCommand[] {
    return this.#bounded(withExit(this.#take(event.call ?? "") ?? [], ({ kind }) => auditExit(kind, event)));
  }

  #take(call: string): readonly Noted[] | undefined {
    const noted = this.#open.get(call);
    this.#open.delete(call);
    return noted;
  }

  #bounded(entries: readonly AuditedCommand[]): readonly AuditedCommand[] {
    const kept = entries.filter((entry) => this.#hasRoom(entry));
    this.#leftOut += entries.length - kept.length;
    return kept;
  }

  /** Counts an entry that is kept. After the first that finds no room there is none: later ones are not picked by their length. */
  #hasRoom(entry: AuditedCommand): boolean {
    if (this.#isFull) return false;
    const bytes = this.#bytes + rowBytes(entry);
    this.#isFull = this.#rows >= MOST_ROWS || bytes > MOST_BYTES;
    if (this.#isFull) return false;
    this.#bytes = bytes;
    this.#rows += 1;
    return true;
  }
}

function classifyAction(action: Tool["action"], text: string, commands: CommandClassifier): readonly Noted[] {
  switch (action?.does) {
    case undefined:
      return [{ kind: "tool", command: text }];
    case "run": {
      const { command, cwd } = action;
      const kind = commands.classify(command);
      if (kind === "reading") return [];
      return [{ kind: "run", command, cwd, unread: kind === "unread" || undefined }];
    }
    case "edit":
      // Without a path, it is not known which file it changed.
      return (action.paths.length === 0 ? ["?"] : action.paths.slice(0, MOST_FILES)).map((command) => ({
        kind: "edit",
        command,
      }));
    default:
      return [];
  }
}

function withExit(noted: readonly Noted[], exit: (of: Noted) => AuditExit): readonly AuditedCommand[] {
  return noted.map((each) => ({ ...each, exit: exit(each) }));
}

/** An exit code that the program tells, or what is left: a failure without one, an edit that was made, or nothing. */
function auditExit(kind: Noted["kind"], { exit, failed }: Result): AuditExit {
  if (kind === "run" && exit !== undefined) return exit;
  if (failed) return "failed";
  return kind === "edit" ? 0 : "unknown";
}
