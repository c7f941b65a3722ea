import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Seen, StandIn } from "../../packages/model-gateway/test/stage.ts";
import type { AgentProgram } from "../../src/adapters/agent/agent-program.ts";
import { claudeLogin } from "../../src/adapters/agent/logins/claude.ts";
import { createCodeAssist } from "../../src/adapters/agent/logins/code-assist.ts";
import { codexLogin } from "../../src/adapters/agent/logins/codex.ts";
import { geminiLogin } from "../../src/adapters/agent/logins/gemini.ts";
import { Login } from "../../src/adapters/agent/logins/login.ts";
import type { LoginFormat } from "../../src/adapters/agent/logins/login-format.ts";
import { claude } from "../../src/adapters/agent/vendors/claude/launch.ts";
import { codex } from "../../src/adapters/agent/vendors/codex/launch.ts";
import { gemini } from "../../src/adapters/agent/vendors/gemini/launch.ts";
import { HOUR, keep, tokenEndpoint, VENDOR } from "../adapters/agent/logins/stage.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import { type AgentRun, runAgent } from "./stage.ts";
import { anthropicStandIn, codeAssistStandIn, type Door, PROJECT, responsesStandIn, type Script } from "./stand-in.ts";

const folder = scratchFolder();
const SOON = Date.now() + HOUR;

interface Program {
  readonly kind: AgentProgram;
  readonly format: LoginFormat;
  readonly vendor: (typeof VENDOR)["claude"];
  readonly api: (script: Script, door: Door) => Promise<StandIn>;
  readonly tool: (command: string) => { readonly name: string; readonly input: object };
}

const PROGRAMS: readonly Program[] = [
  {
    ...{ kind: claude, format: claudeLogin, vendor: VENDOR.claude, api: anthropicStandIn },
    tool: (command) => ({ name: "Bash", input: { command } }),
  },
  {
    ...{ kind: codex, format: codexLogin, vendor: VENDOR.codex, api: responsesStandIn },
    tool: (cmd) => ({ name: "exec_command", input: { cmd } }),
  },
  {
    ...{ kind: gemini, format: geminiLogin, vendor: VENDOR.gemini, api: codeAssistStandIn },
    tool: (command) => ({ name: "run_shell_command", input: { command } }),
  },
];

describe.each(PROGRAMS)("the real $kind.kind with its own login", { timeout: 600_000 }, ({ kind, format, vendor, api, tool }) => {
  const missing = whyWithout(kind.kind);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  const token = (n: number) => vendor.access(n, SOON);
  const works: Script = (turn) =>
    turn === 0 ? { say: "I write it.", tool: tool("echo done > made.txt; env > env.txt") } : { say: "It is done." };

  /** Runs the program on a login whose tokens end then, against an API that takes what the door lets in. */
  async function run(expiresAt: number, door: Door, script = works, refresh = "refresh-1") {
    const own = join(folder(), "person");
    keep(format.file({ HOME: own }), JSON.parse(JSON.stringify(vendor.kept(1, expiresAt)).replace("refresh-1", refresh)));
    const stand = await api(script, door);
    const endpoint = await tokenEndpoint((n) => vendor.answer(n, SOON));
    const login = new Login({
      ...{ format, env: { HOME: own }, programPath: join(programsFolder(), "node_modules/.bin", kind.kind) },
      tokenUrl: `http://127.0.0.1:${endpoint.port}/token`,
    });
    const credential = {
      header: "bearer" as const,
      value: () => login.value(),
      renew: (refused: string) => login.renew(refused),
      headers: () => login.headers(),
    };
    const codeAssist = createCodeAssist({ login, baseUrl: `http://127.0.0.1:${stand.port}`, env: {} });
    const upstream = { credential, ...(kind.subscription?.api === "code-assist" ? { codeAssist } : {}) };
    const result = await runAgent(folder(), kind, stand.port, {
      login: { login, upstream },
      timeoutMs: 500_000,
      silenceMs: 500_000,
    });
    return { result, stand, endpoint, file: format.file({ HOME: own }) };
  }

  const bearer = ({ headers }: Seen) => (headers["authorization"] ?? "").replace("Bearer ", "");
  const paid = (seen: Seen) => !seen.url.endsWith("/") && bearer(seen) !== "";

  /** Nothing of a token is in what the agent could write or see, or in what it said. */
  function expectNoToken(result: AgentRun, stand: StandIn): void {
    const session = readdirSync(join(folder(), "session"), { recursive: true, encoding: "utf8" });
    const texts = [
      ...session.map((name) => join(folder(), "session", name)).filter((path) => statSync(path).isFile()),
      ...[join(folder(), "agent.log"), join(result.worktree, "env.txt")],
    ].map((path) => readFileSync(path, "latin1"));
    for (const text of [...texts, JSON.stringify(result), ...stand.seen.map(({ body }) => body)])
      for (const secret of [token(1), token(2), "refresh-1", "refresh-2"]) expect(text).not.toContain(secret);
  }

  test("an expired token is refreshed before the first request, and works", async () => {
    const { result, stand, endpoint, file } = await run(Date.now() - HOUR, (seen) => bearer(seen) === token(2));
    expect(result.stop).toBeUndefined();
    expect(readFileSync(join(result.worktree, "made.txt"), "utf8")).toBe("done\n");
    expect(new Set(stand.seen.filter(paid).map(bearer))).toEqual(new Set([token(2)]));
    expect(endpoint.seen).toHaveLength(1);
    expect(readFileSync(file, "utf8")).toContain(token(2));
    expect(result.costUsd).toBeGreaterThan(0);
    if (kind.kind === "codex") for (const { headers } of stand.seen) expect(headers["chatgpt-account-id"]).toBe("acc-1");
    if (kind.kind === "gemini") for (const { body } of stand.seen.slice(1)) expect(JSON.parse(body).project).toBe(PROJECT);
    expectNoToken(result, stand);
  });

  test("a token that is refused in the middle of the work is renewed, and the program does not notice", async () => {
    let worked = false;
    const script: Script = (turn, asked) => {
      worked ||= turn > 0;
      return works(turn, asked);
    };
    // Its first turn is on the old token; from the tool's result on, the new one alone counts.
    const door: Door = (seen) =>
      bearer(seen) === token(2) || (!worked && !/made\.txt/.test(seen.body) && bearer(seen) === token(1));
    const { result, stand, endpoint } = await run(SOON, door, script);
    expect(result.stop).toBeUndefined();
    expect(readFileSync(join(result.worktree, "made.txt"), "utf8")).toBe("done\n");
    expect(stand.seen.filter(paid).map(bearer)).toEqual(expect.arrayContaining([token(1), token(2)]));
    expect(endpoint.seen).toHaveLength(1);
    expectNoToken(result, stand);
  });

  test("a token that is refused again and again ends the work", async () => {
    const { result, endpoint } = await run(SOON, () => false);
    expect(result.stop).toMatchObject({ kind: "authentication" });
    expect(endpoint.seen).toHaveLength(1);
  });

  test("a login that nobody can refresh ends the work at once, and says what to run", async () => {
    const { result } = await run(SOON, () => false, works, "used-up");
    expect(result.stop).toMatchObject({ kind: "authentication", says: expect.stringContaining(`Run ${format.command}`) });
  });
});
