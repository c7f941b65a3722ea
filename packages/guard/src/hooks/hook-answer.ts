import { plainText } from "@loopdash/values";
import type { GuardVerdict } from "../verdict.ts";
import type { HookVendor } from "./hook-event.ts";
import { EVENT_NAMES, type HookEvent } from "./hook-event.ts";

/** What a hook has found. */
export type HookVerdict =
  | GuardVerdict
  /** Nothing was judged: the agent's program or the person's settings are the reason. */
  | { readonly verdict: "problem"; readonly problem: string; readonly todo: string }
  /** At `stop`: the agent is told to go on, and why. */
  | { readonly verdict: "go-on"; readonly reason: string };

/** How the process of a hook ends. */
export interface HookAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 1 | 2;
}

const SILENT: HookAnswer = { stdout: "", stderr: "", exitCode: 0 };
/** Characters of a message: an agent reads it as part of its conversation. */
const LONGEST = 2_000;

/**
 * The answer in the vendor's terms. Exit code 2 blocks a tool in all of them and shows stderr to the agent; any other code than 0
 * lets it pass with a warning (Claude Code, Codex, Gemini CLI), and so a problem blocks as well. At other events a problem is a
 * warning. `nudges`: lines that are handed on to the agent beside the verdict, where `canNudge`.
 */
export function hookAnswer(
  vendor: HookVendor,
  event: HookEvent,
  verdict: HookVerdict,
  nudges: readonly string[] = [],
): HookAnswer {
  switch (verdict.verdict) {
    case "allow":
      return nudges.length === 0 ? SILENT : nudged(vendor, event, nudges);
    case "block":
      return { stdout: "", stderr: `${blocked(verdict)}${nudges.map((line) => `${line}\n`).join("")}`, exitCode: 2 };
    case "problem":
      return { stdout: "", stderr: failed(event, verdict), exitCode: event === "before-tool" ? 2 : 1 };
    case "go-on":
      return goOn(vendor, event, verdict.reason);
  }
}

/**
 * True if the answer can tell the agent something. All of them show why a tool is blocked. Beside a tool that may run, Claude Code and
 * Codex take a text before it, Gemini CLI (0.61.0, docs/hooks/reference.md) only after it, and so does our plugin for opencode.
 */
export function canNudge(vendor: HookVendor, event: HookEvent, { verdict }: HookVerdict): boolean {
  if (verdict === "block") return event === "before-tool";
  return verdict === "allow" && event === NUDGED_AT[vendor];
}

/** Where an agent can be told something beside a tool that may run. */
export const NUDGED_AT: Readonly<Record<HookVendor, HookEvent>> = {
  claude: "before-tool",
  codex: "before-tool",
  gemini: "after-tool",
  opencode: "after-tool",
};

function nudged(vendor: HookVendor, event: HookEvent, nudges: readonly string[]): HookAnswer {
  // The plugin adds it to the tool's result as it is.
  if (vendor === "opencode") return { ...SILENT, stdout: nudges.map((line) => `${line}\n`).join("") };
  const hookSpecificOutput = { hookEventName: EVENT_NAMES[vendor][event], additionalContext: nudges.join("\n") };
  return { ...SILENT, stdout: `${JSON.stringify({ hookSpecificOutput })}\n` };
}

/** True if a hook's process has blocked a tool by a rule, and not because it could not judge it. */
export function isBlockByRule(exitCode: number | null | undefined, stderr: string): boolean {
  return exitCode === 2 && stderr.includes(BLOCK);
}

const BLOCK = "loopdash: the guard blocks this (";

function blocked({ rule, reason, alternative }: Extract<GuardVerdict, { verdict: "block" }>): string {
  return `${BLOCK}${rule})\n  why: ${reason}\n  do:  ${alternative}\n`;
}

function failed(event: HookEvent, { problem, todo }: Extract<HookVerdict, { verdict: "problem" }>): string {
  const what = event === "before-tool" ? "the guard blocks this, because it could not judge it" : "a hook could not do its work";
  return `loopdash: ${what}\n  why: ${plainText(problem, LONGEST)}\n  do:  ${plainText(todo, LONGEST)}\n`;
}

function goOn(vendor: HookVendor, event: HookEvent, reason: string): HookAnswer {
  if (event !== "stop" || EVENT_NAMES[vendor].stop === undefined) return SILENT;
  const decision = vendor === "gemini" ? "deny" : "block";
  return { ...SILENT, stdout: `${JSON.stringify({ decision, reason: reason.slice(0, LONGEST) })}\n` };
}
