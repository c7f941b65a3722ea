import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ModelUpstream, Price } from "@loopdash/model-gateway";
import type { AgentProgram, ProgramOptions } from "../../src/adapters/agent/agent-program.ts";
import type { GuardProgram } from "../../src/adapters/agent/guard-files.ts";
import type { Login } from "../../src/adapters/agent/logins/login.ts";
import { createModelAgent } from "../../src/adapters/agent/model-agent.ts";
import { createExecutor } from "../../src/adapters/executor/process-executor.ts";
import { gatewayExecutor } from "../../src/adapters/gateway/gateway-executor.ts";
import { createBubblewrap } from "../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { confinedExecutor } from "../../src/adapters/sandbox/confined-executor.ts";
import { findProgram } from "../../src/adapters/sandbox/find-program.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { AgentResult, AgentTask } from "../../src/ports/agent.ts";
import { bundleRelay } from "../cli/relay-stage.ts";
import { programsFolder } from "./programs.ts";

const PATH = process.env["PATH"] ?? "";
/** What the engine holds; no agent ever sees it. */
export const SECRET = "sk-of-the-engine-0123456789";
const PRICES: readonly Price[] = [{ model: "*", input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, maxOutput: 10_000 }];

export interface AgentRun extends AgentResult {
  readonly activity: readonly string[];
  readonly worktree: string;
}

interface AgentOver {
  readonly options?: Partial<ProgramOptions>;
  readonly guardProgram?: GuardProgram;
  /** The key is a token, whatever the API takes else. */
  readonly bearer?: boolean;
  /** The account is used by this login, and its API. */
  readonly login?: { readonly login: Login; readonly upstream: Pick<ModelUpstream, "credential" | "codeAssist"> };
}

/** The header in which each API takes its key. */
const KEY_HEADER = {
  anthropic: "x-api-key",
  openai: "bearer",
  gemini: "x-goog-api-key",
  "code-assist": "bearer",
} as const;

/** Runs a real program in a real sandbox, its model behind a real gateway. */
export async function runAgent(
  folder: string,
  kind: AgentProgram,
  port: number,
  { options = {}, bearer = false, login, guardProgram, ...over }: AgentOver & Partial<AgentTask> = {},
): Promise<AgentRun> {
  const root = realpathSync(folder);
  const at = (name: string) => join(root, name);
  for (const name of ["worktree", "outbox", "session", "home", "relay"]) mkdirSync(at(name), { recursive: true });
  execFileSync("git", ["init", "-q", "-b", "main", at("worktree")], { env: { PATH, GIT_CONFIG_GLOBAL: "/dev/null" } });
  writeFileSync(at("prompt.md"), "Write done into made.txt.\n");
  writeFileSync(join(at("relay"), "relay.mjs"), await bundleRelay());
  const sandbox = createBubblewrap({ program: findProgram("bwrap", { cwd: "/", path: PATH }) ?? "", home: at("home") });
  const relay = { argv: [process.execPath, join(at("relay"), "relay.mjs")], read: [at("relay")] };
  const baseUrl = `http://127.0.0.1:${port}${kind.api === "openai" ? "/v1" : ""}`;
  const agent = createModelAgent([
    {
      kind,
      program: join(programsFolder(), "node_modules/.bin", kind.kind),
      usdPerAttempt: 5,
      executor: gatewayExecutor(confinedExecutor(createExecutor(), sandbox), { folder: at("sockets"), relay }),
      env: { PATH, HOME: at("home"), LANG: "C.UTF-8" },
      // Its model has a name of its own; the others' programs choose theirs.
      ...(kind.kind === "opencode" ? { model: "some-model" } : {}),
      baseUrl,
      upstream: {
        baseUrl,
        credential: { header: bearer ? "bearer" : KEY_HEADER[kind.api], value: () => SECRET },
        prices: PRICES,
        ...login?.upstream,
      },
      ...(guardProgram && { guard: guardProgram }),
      ...(login === undefined ? {} : { login: login.login, billing: "subscription" as const }),
      ...options,
    },
  ]);
  const activity: string[] = [];
  const result = await agent.run({
    ticket: TicketId.parse("T-1"),
    attempt: 1,
    marker: `agent-${root}`,
    worktree: at("worktree"),
    promptFile: at("prompt.md"),
    outbox: at("outbox"),
    session: at("session"),
    logFile: at("agent.log"),
    confinement: {
      write: ["worktree", "outbox", "session"].map(at),
      read: [at("prompt.md"), resolve(programsFolder())],
      mounts: [],
      sockets: [],
    },
    timeoutMs: 60_000,
    silenceMs: 60_000,
    signal: new AbortController().signal,
    onStart: () => undefined,
    onActivity: (text) => void activity.push(text),
    ...over,
  });
  return { ...result, activity, worktree: at("worktree") };
}
