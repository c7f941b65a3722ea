import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelUpstream } from "@loopdash/model-gateway";
import { describe, expect, test } from "vitest";
import { createModelAgent } from "../../../src/adapters/agent/model-agent.ts";
import { loadProgram } from "../../../src/adapters/agent/registry.ts";
import { stopReach } from "../../../src/domain/schedule/breaker.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { AgentResult } from "../../../src/ports/agent.ts";
import type { ExecRequest, ExecResult } from "../../../src/ports/executor.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

type Kind = "claude" | "codex" | "gemini" | "opencode";
interface Story {
  /** Lines on the program's stdout, where whatever an agent runs can print too. */
  readonly lines: readonly object[];
  /** What the gateway sees of the API meanwhile. */
  readonly api?: (upstream: ModelUpstream) => void;
  readonly end?: Partial<ExecResult>;
}

async function stopAfter(kind: Kind, { lines, api, end }: Story): Promise<AgentResult["stop"]> {
  const at = (name: string) => join(folder(), name);
  for (const name of ["session", "tree", "outbox"]) mkdirSync(at(name), { recursive: true });
  writeFileSync(at("prompt.md"), "do it\n");
  const executor = {
    run: ({ onLine, model }: ExecRequest): Promise<ExecResult> => {
      if (model !== undefined) api?.(model.upstream);
      for (const line of lines) onLine?.(JSON.stringify(line), "stdout");
      return Promise.resolve({ ending: "exited", exitCode: 1, signal: null, tail: "", durationMs: 1, ...end });
    },
  };
  const agent = createModelAgent([
    {
      ...{ kind: await loadProgram(kind), program: kind, executor, env: {}, billing: "api", usdPerAttempt: 1, model: "m" },
      upstream: { address: "https://model.example", credential: undefined },
    } as never,
  ]);
  const { stop } = await agent.run({
    ...{ ticket: TicketId.parse("T-1"), attempt: 1, marker: "words", worktree: at("tree"), outbox: at("outbox") },
    ...{ promptFile: at("prompt.md"), session: at("session"), logFile: at("agent.log") },
    ...{ timeoutMs: 1_000, silenceMs: 1_000, signal: new AbortController().signal },
    onStart: () => undefined,
    onActivity: () => undefined,
  });
  return stop;
}

const failed = (says: string) => ({ type: "turn.failed", error: { message: says } });
const result = (more: object) => ({ type: "result", subtype: "success", is_error: true, result: "no", usage: {}, ...more });

/** Lines of each vendor that report an API which nobody but its program has seen. */
const CLAIMED: readonly (readonly [Kind, string, object])[] = [
  ["claude", "a rate limit", result({ api_error_status: 429 })],
  ["claude", "an overload", result({ api_error_status: 529 })],
  [
    "claude",
    "a refused key",
    { type: "system", subtype: "api_retry", error: "authentication_failed", attempt: 1, max_retries: 9 },
  ],
  ["codex", "a rate limit", failed("429 Too Many Requests, retry in 9999s")],
  ["codex", "a refused key", { type: "error", message: "401 Unauthorized" }],
  ["codex", "a missing right", failed("403 Forbidden: quota")],
  ["codex", "an unknown model", failed("the model does not exist")],
  ["gemini", "a refused key", { type: "result", status: "error", error: { message: "API_KEY_INVALID" }, stats: {} }],
  ["opencode", "a rate limit", { type: "error", error: { name: "APIError", data: { message: "no", statusCode: 429 } } }],
];

describe("a program that reports", () => {
  test.each(CLAIMED)("%s: %s, which the gateway did not see, failed as any attempt does", async (kind, _what, line) => {
    const stop = await stopAfter(kind, { lines: [line] });
    expect(stop).toMatchObject({ kind: "unfinished" });
    expect(stopReach(stop?.kind ?? "model")).toBe("attempt");
    // The API has answered, and well.
    const answered = await stopAfter(kind, { lines: [line], api: ({ onAnswer }) => onAnswer?.({ status: 200 }) });
    expect(stopReach(answered?.kind ?? "model")).toBe("attempt");
  });

  test.each(CLAIMED)("%s: %s, is believed where the API's last answer was an error", async (kind, what, line) => {
    const status = what === "a rate limit" ? 429 : what === "an overload" ? 529 : what === "an unknown model" ? 404 : 401;
    const stop = await stopAfter(kind, { lines: [line], api: ({ onAnswer }) => onAnswer?.({ status }) });
    expect(["waits", "run"]).toContain(stopReach(stop?.kind ?? "unfinished"));
  });

  test("an overload is believed where the API's answer broke off, and then answered well no more", async () => {
    const usage = { model: "m", input: 1, output: 5, cacheRead: 0, cacheWrite: 0, usd: null, countedUsd: 1 };
    const cut = ({ onAnswer, onUsage }: ModelUpstream) => {
      onAnswer?.({ status: 200 });
      onUsage?.(usage);
    };
    const lines = [result({ api_error_status: 529 })];
    expect(await stopAfter("claude", { lines, api: cut })).toMatchObject({ kind: "overloaded" });
    const refused = { type: "system", subtype: "api_retry", error: "authentication_failed", attempt: 1, max_retries: 9 };
    expect(await stopAfter("claude", { lines: [refused], api: cut })).toMatchObject({ kind: "unfinished" });
    const later = (upstream: ModelUpstream) => {
      cut(upstream);
      upstream.onAnswer?.({ status: 200 });
    };
    expect(await stopAfter("claude", { lines, api: later })).toMatchObject({ kind: "unfinished" });
  });
});

describe("a program that ends without a result, and whose output has the words of a machine without memory", () => {
  const words = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";

  test.each([
    ["a test printed them", { exitCode: 1 }],
    ["another signal ended it", { exitCode: null, signal: "SIGTERM" as const }],
  ])("failed as any does if %s", async (_what, end) => {
    expect(await stopAfter("claude", { lines: [], end: { tail: words, ...end } })).toMatchObject({ kind: "unfinished" });
  });

  test.each([{ exitCode: 134 }, { exitCode: 137 }, { exitCode: null, signal: "SIGKILL" as const }])(
    "ran out of memory if it was killed or aborted: %j",
    async (end) => {
      expect(await stopAfter("claude", { lines: [], end: { tail: words, ...end } })).toMatchObject({ kind: "memory" });
    },
  );
});
