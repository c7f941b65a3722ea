import { describe, expect, test } from "vitest";
import type { AgentProgram } from "../../../src/adapters/agent/agent-program.ts";
import { ProgramReader } from "../../../src/adapters/agent/program-reader.ts";
import { claude } from "../../../src/adapters/agent/vendors/claude/launch.ts";
import { codex } from "../../../src/adapters/agent/vendors/codex/launch.ts";
import { gemini } from "../../../src/adapters/agent/vendors/gemini/launch.ts";
import { opencode } from "../../../src/adapters/agent/vendors/opencode/launch.ts";

const readerOf = ({ events, exitStops }: AgentProgram) => new ProgramReader(events.parser(), exitStops);

/** What a reader makes of these events; the lines as the programs wrote them, without times and ids. */
function read(program: AgentProgram, events: readonly object[], exitCode: number | null = 0) {
  const reader = readerOf(program);
  const lines = events.flatMap((event) => reader.line(JSON.stringify(event)));
  return { lines, answer: reader.answer, ...reader.end(exitCode) };
}

describe("claude", () => {
  const says = (...content: readonly object[]) => ({ type: "assistant", message: { content } });
  const usage = { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 4, cache_creation_input_tokens: 1 };
  const result = (over: object = {}) => ({
    type: "result",
    is_error: false,
    result: "Done.",
    total_cost_usd: 0.5,
    usage,
    ...over,
  });
  const retry = { type: "system", subtype: "api_retry", error: "overloaded", retry_delay_ms: 900.4, attempt: 2, max_retries: 4 };

  test("what it says and uses are lines; the result has the answer, the dollars and the tokens", () => {
    const events = [
      { type: "system", subtype: "init", model: "m" },
      says({ type: "text", text: "I look.\nNow." }, { type: "tool_use", name: "Read", input: { file_path: "a.ts" } }),
      { type: "user", message: { content: [{ type: "tool_result", content: "1" }] } },
      retry,
      result(),
    ];
    expect(read(claude, events)).toEqual({
      lines: ["I look. Now.", "Read: a.ts", "model API: overloaded; retry 2 of 4 follows"],
      answer: "Done.",
      costUsd: 0.5,
      tokens: { input: 10, output: 2, cacheRead: 4, cacheWrite: 1 },
    });
  });

  test.each<[what: string, events: readonly object[], exitCode: number | null, stop: object]>([
    ["no result", [says({ type: "text", text: "done" })], 0, { kind: "unfinished" }],
    ["a result with another exit code", [result()], 1, { kind: "unfinished", says: "Done." }],
    ["an error, by its status", [result({ is_error: true, api_error_status: 529 })], 1, { kind: "overloaded" }],
    ["its turns", [result({ is_error: true, terminal_reason: "max_turns", result: undefined })], 1, { kind: "turns" }],
    ["an error behind a wait", [retry, result({ is_error: true })], 1, { retryAfterMs: 900 }],
  ])("%s is no success", (_, events, exitCode, stop) => {
    expect(read(claude, events, exitCode).stop).toMatchObject(stop);
  });

  test("a key that is refused is fatal at once", () => {
    const reader = readerOf(claude);
    reader.line(JSON.stringify({ ...retry, error: "authentication_failed" }));
    expect(reader.fatal).toMatchObject({ kind: "authentication" });
  });
});

describe("codex", () => {
  const item = (type: string, over: object, when = "completed") => ({ type: `item.${when}`, item: { type, ...over } });
  const completed = { type: "turn.completed", usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 2 } };
  const failed = (message: string) => ({ type: "turn.failed", error: { message } });

  test("the last message is the answer", () => {
    const events = [
      item("command_execution", { command: "/bin/bash -lc 'npm test'" }, "started"),
      item("agent_message", { text: "I look." }),
      item("file_change", { changes: [{ path: "a.ts" }] }),
      item("error", { message: "a warning" }),
      item("agent_message", { text: "Done." }),
      completed,
    ];
    expect(read(codex, events)).toEqual({
      lines: ["exec: npm test", "I look.", "edit: a.ts", "Done."],
      answer: "Done.",
      costUsd: null,
      tokens: { input: 6, output: 2, cacheRead: 4, cacheWrite: 0 },
    });
  });

  test.each<[what: string, events: readonly object[], exitCode: number | null, stop: object]>([
    ["no completed turn", [item("agent_message", { text: "done" })], 0, { kind: "unfinished" }],
    ["a completed turn with another exit code", [completed], 1, { kind: "unfinished" }],
    ["a turn that failed", [failed("429 Too Many Requests")], 0, { kind: "rate-limited" }],
    ["a turn that failed behind one that did not", [completed, failed("quota")], 0, { kind: "permission" }],
  ])("%s is no success", (_, events, exitCode, stop) => {
    expect(read(codex, events, exitCode).stop).toMatchObject(stop);
  });

  test("a request that is repeated is told, and a key that is refused is fatal at once", () => {
    expect(read(codex, [{ type: "error", message: "Reconnecting 1/4" }, completed]).stop).toBeUndefined();
    const reader = readerOf(codex);
    expect(reader.line(JSON.stringify({ type: "error", message: "401 Unauthorized" }))).toEqual(["401 Unauthorized"]);
    expect(reader.fatal).toMatchObject({ kind: "authentication" });
  });
});

describe("gemini", () => {
  const says = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
  const uses = { type: "tool_use", tool_name: "run_shell_command", parameters: { command: "ls" } };
  const stats = { input_tokens: 100, cached: 40, output_tokens: 7 };
  const success = { type: "result", status: "success", stats };

  test("pieces of a message are one line; the last message is the answer", () => {
    const events = [
      { type: "message", role: "user", content: "Do it" },
      says("I lo"),
      says("ok."),
      uses,
      says("All "),
      says("done."),
      success,
    ];
    expect(read(gemini, events)).toEqual({
      lines: ["I look.", "run_shell_command: ls", "All done."],
      answer: "All done.",
      costUsd: null,
      tokens: { input: 60, output: 7, cacheRead: 40, cacheWrite: 0 },
    });
  });

  test.each<[what: string, events: readonly object[], exitCode: number | null, stop: object]>([
    ["no result", [says("done")], 0, { kind: "unfinished" }],
    ["a success with another exit code", [success], 1, { kind: "unfinished" }],
    ["its turns", [{ type: "result", status: "error", error: { message: "Reached max session turns" } }], 53, { kind: "turns" }],
    ["a loop", [{ type: "error", severity: "warning", message: "Loop detected" }, success], 0, { says: "Loop detected" }],
    [
      "a loop that is told behind the result",
      [success, { type: "error", message: "Loop detected" }],
      0,
      { says: "Loop detected" },
    ],
    [
      "a quota, and how long",
      [{ type: "result", status: "error", error: { message: "Quota exceeded. Please retry in 42.5s." } }],
      173,
      { kind: "unfinished", retryAfterMs: 42_500 },
    ],
    [
      "a talk that is too long",
      [
        {
          type: "result",
          status: "error",
          error: { message: "The input token count (2) exceeds the maximum number of tokens allowed (1)" },
        },
      ],
      1,
      { kind: "context" },
    ],
  ])("%s is no success", (_, events, exitCode, stop) => {
    expect(read(gemini, events, exitCode).stop).toMatchObject(stop);
  });

  test("what is no event is worth nothing and breaks nothing", () => {
    const reader = readerOf(gemini);
    for (const line of ["", "{", "[]", "null", '{"type":"message"}', '{"type":"tool_use"}', '{"type":"error"}'])
      expect(() => reader.line(line)).not.toThrow();
    expect(reader.end(0).stop).toMatchObject({ kind: "unfinished" });
  });
});

describe("opencode", () => {
  const start = { type: "step_start", part: {} };
  const says = (text: string) => ({ type: "text", part: { text } });
  const uses = (over: object = {}) => ({
    type: "tool_use",
    part: { tool: "bash", state: { input: { command: "ls" }, ...over } },
  });
  const tokens = { input: 10, output: 2, reasoning: 3, cache: { read: 4, write: 5 } };
  const finish = (reason: string) => ({ type: "step_finish", part: { reason, tokens } });
  const error = (data: object, name = "APIError") => ({ type: "error", error: { name, data } });

  test("steps add up; what it says in the last one is the answer", () => {
    const events = [start, says("I look."), uses(), finish("tool-calls"), start, says("All done."), finish("stop")];
    expect(read(opencode, events)).toEqual({
      lines: ["I look.", "bash: ls", "All done."],
      answer: "All done.",
      costUsd: null,
      tokens: { input: 20, output: 10, cacheRead: 8, cacheWrite: 10 },
    });
  });

  test.each<[what: string, events: readonly object[], exitCode: number | null, stop: object]>([
    ["nothing at all", [], 0, { kind: "unfinished" }],
    ["a step that never ends", [start, says("done")], 0, { kind: "unfinished" }],
    ["a step that is cut off", [start, says("done"), finish("length")], 0, { says: expect.stringContaining("length") }],
    ["a stop with another exit code", [start, finish("stop")], 1, { kind: "unfinished" }],
    ["an error behind a stop", [start, finish("stop"), error({ message: "no", statusCode: 401 })], 0, { kind: "authentication" }],
    ["an error with a name alone", [error({ message: "too long" }, "ContextOverflowError")], 1, { kind: "context" }],
    ["an error without words", [{ type: "error" }], 1, { kind: "unfinished" }],
    ["a tool that was never used", [start, finish("stop"), uses({ metadata: { interrupted: true } })], 0, { kind: "unfinished" }],
  ])("%s is no success", (_, events, exitCode, stop) => {
    expect(read(opencode, events, exitCode).stop).toMatchObject(stop);
  });

  test("has no model of its own", async () => {
    await expect(
      opencode.prepare({ session: "/nowhere", worktree: "/nowhere" }, { program: "x", usdPerAttempt: 1 }),
    ).rejects.toThrow("needs a model");
  });
});
