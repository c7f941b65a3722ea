import type { HookVendor } from "../../hooks/hook-event.ts";
import { HOOK_EVENTS, HOOK_VENDORS, type HookEvent, isHookEvent, isHookVendor } from "../../hooks/hook-event.ts";

/** The request of `loopdash hook`. */
export interface HookRequest {
  readonly event: HookEvent;
  readonly vendor: HookVendor;
  /** The file with the settings of the guard. */
  readonly settings?: string;
  /** The file to which each judgement is appended. */
  readonly report?: string;
  /** After a tool: the file to which each command that may have changed something is appended. */
  readonly audit?: string;
  /** At `stop`: the file that says what the agent is reminded of. */
  readonly stop?: string;
  /** The file with lines for the agent, which may not be there; each is handed on once. */
  readonly nudge?: string;
}

/** Reads the arguments after `hook`; gives the reason if they are wrong. */
export function readHookArgs([event, ...args]: readonly string[]): HookRequest | string {
  if (!isHookEvent(event)) return `it takes an event: ${HOOK_EVENTS.join(", ")}`;
  const options = readOptions(args);
  if (typeof options === "string") return options;
  const { agent, ...files } = options;
  if (!isHookVendor(agent)) return `--agent takes one of ${HOOK_VENDORS.join(", ")}`;
  return { event, vendor: agent, ...files };
}

const OPTIONS = ["agent", "settings", "report", "audit", "stop", "nudge"] as const;

type Options = Readonly<Partial<Record<(typeof OPTIONS)[number], string>>>;

function readOptions(args: readonly string[]): Options | string {
  const options: Partial<Record<string, string>> = {};
  for (let at = 0; at < args.length; at += 2) {
    const [word = "", value] = args.slice(at, at + 2);
    const name = OPTIONS.find((each) => word === `--${each}`);
    if (name === undefined) return `it has no option ${JSON.stringify(word.slice(0, 60))}`;
    if (value === undefined || value === "" || options[name] !== undefined) return `${word} takes one value`;
    options[name] = value;
  }
  return options;
}
