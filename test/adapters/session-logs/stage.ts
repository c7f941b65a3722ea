import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Prices } from "@loopdash/model-gateway/server";
import { onTestFinished } from "vitest";
import type { AgentProgram } from "../../../src/adapters/agent/agent-program.ts";
import { claude } from "../../../src/adapters/agent/vendors/claude/launch.ts";
import { codex } from "../../../src/adapters/agent/vendors/codex/launch.ts";
import { createSessionLogs } from "../../../src/adapters/session-logs/session-logs.ts";
import type { SessionLogs } from "../../../src/ports/session-logs.ts";

/** The day that the tests are about: its first moment, a moment of it, and one of the day before. */
export const DAY = new Date(2026, 2, 14).getTime();
export const NOON = new Date(2026, 2, 14, 12).toISOString();
export const BEFORE = new Date(2026, 2, 13, 23, 59).toISOString();

/** A home of nobody, removed with the test. */
export class Home {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-spend-")));

  constructor() {
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
  }

  get env(): NodeJS.ProcessEnv {
    return { HOME: this.root };
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** Writes lines as a program does: objects as JSON, texts as they are, a newline behind each. */
  write(name: string, lines: readonly (object | string)[], at = NOON): string {
    const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
    return this.raw(name, text, at);
  }

  raw(name: string, text: string, at = NOON): string {
    const file = this.path(name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    utimesSync(file, new Date(at), new Date(at));
    return file;
  }
}

/** A line of Claude Code that tells of an answer. */
export function answer(over: { message?: object; usage?: object; [key: string]: unknown } = {}): object {
  const { message, usage, ...rest } = over;
  const used = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, ...usage };
  return {
    type: "assistant",
    timestamp: NOON,
    requestId: "req_1",
    message: { id: "msg_1", model: "claude-sonnet-4-5", role: "assistant", usage: used, ...message },
    ...rest,
  };
}

/** Lines of Codex: which model it is, and what the session has used so far. */
export const turn = (model = "gpt-5.3-codex"): object => ({ type: "turn_context", timestamp: NOON, payload: { model } });
export function counted(input: number, output: number, over: { cached?: number; at?: string; last?: object } = {}): object {
  const total = { input_tokens: input, cached_input_tokens: over.cached ?? 0, output_tokens: output };
  const info = { total_token_usage: total, ...(over.last === undefined ? {} : { last_token_usage: over.last }) };
  return { type: "event_msg", timestamp: over.at ?? NOON, payload: { type: "token_count", info } };
}

/** A program's logs: where one lies, what a line of it is that costs three dollars, and one that costs as much and is another one. */
export interface Kind {
  readonly create: (env: NodeJS.ProcessEnv) => SessionLogs;
  readonly log: string;
  readonly other: string;
  readonly threeDollars: (at?: string) => readonly object[];
  readonly again: (at?: string) => readonly object[];
  readonly unpriced: readonly object[];
}

const logsOf = ({ sessions, prices }: AgentProgram, env: NodeJS.ProcessEnv): SessionLogs => {
  if (sessions === undefined) throw new Error("its sessions are not logged");
  const known = new Prices(prices);
  return createSessionLogs({ ...sessions(env), cost: (model, tokens) => known.cost(model, tokens) });
};

const million = { input_tokens: 1_000_000 };
export const KINDS: Readonly<Record<"claude" | "codex", Kind>> = {
  claude: {
    create: (env) => logsOf(claude, env),
    log: ".claude/projects/-home-me-app/one.jsonl",
    other: ".claude/projects/-home-me-app/two/subagents/agent-1.jsonl",
    threeDollars: (at = NOON) => [answer({ usage: million, timestamp: at })],
    again: (at = NOON) => [answer({ usage: million, timestamp: at, requestId: "req_2", message: { id: "msg_2" } })],
    unpriced: [answer({ message: { model: "other-model" }, usage: { output_tokens: 1 } })],
  },
  codex: {
    create: (env) => logsOf(codex, env),
    log: ".codex/sessions/2026/03/14/rollout-2026-03-14T12-00-00-a.jsonl",
    other: ".codex/archived_sessions/rollout-2026-03-13T12-00-00-b.jsonl",
    threeDollars: (at = NOON) => [turn(), counted(914_286, 100_000, { at })],
    again: (at = NOON) => [turn(), counted(914_286, 100_000, { at })],
    unpriced: [turn("other-model"), counted(1, 1)],
  },
};
