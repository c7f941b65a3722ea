import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { StandIn } from "../../packages/model-gateway/test/stage.ts";
import type { AgentProgram } from "../../src/adapters/agent/agent-program.ts";
import { claude } from "../../src/adapters/agent/vendors/claude/launch.ts";
import { codex } from "../../src/adapters/agent/vendors/codex/launch.ts";
import { gemini } from "../../src/adapters/agent/vendors/gemini/launch.ts";
import { opencode } from "../../src/adapters/agent/vendors/opencode/launch.ts";
import type { AgentResult } from "../../src/ports/agent.ts";
import { processesWith } from "../adapters/sandbox/support.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { PLANTED, PLANTED_WORD } from "./planted.ts";
import { whyWithout } from "./programs.ts";
import { runAgent, SECRET } from "./stage.ts";
import { anthropicStandIn, chatStandIn, geminiStandIn, responsesStandIn, type Script, type Turn } from "./stand-in.ts";

const folder = scratchFolder();

/** One more attempt of a failed request, so that a test need not wait for four. */
const QUICK = { retries: 1 };

/** A vendor's program, and how a test speaks with it. */
interface Program {
  readonly kind: AgentProgram;
  readonly api: (script: Script) => Promise<StandIn>;
  /** Has it run a command. */
  readonly bash: (command: string) => { readonly name: string; readonly input: object };
  /** How a line for people names that. */
  readonly told: string;
  /** The header in which its API finds the key. */
  readonly key: readonly [name: string, value: string];
  /** Whether it can be told to keep no transcript at all. */
  readonly keepsNone?: true;
}

const PROGRAMS: readonly Program[] = [
  {
    kind: claude,
    api: anthropicStandIn,
    bash: (command) => ({ name: "Bash", input: { command } }),
    told: "Bash: ",
    key: ["x-api-key", SECRET],
    keepsNone: true,
  },
  {
    kind: codex,
    api: responsesStandIn,
    bash: (cmd) => ({ name: "exec_command", input: { cmd } }),
    told: "exec: ",
    key: ["authorization", `Bearer ${SECRET}`],
    keepsNone: true,
  },
  {
    kind: gemini,
    api: geminiStandIn,
    bash: (command) => ({ name: "run_shell_command", input: { command } }),
    told: "run_shell_command: ",
    key: ["x-goog-api-key", SECRET],
  },
  {
    kind: opencode,
    api: chatStandIn,
    bash: (command) => ({ name: "bash", input: { command, description: "a command" } }),
    told: "bash: ",
    key: ["authorization", `Bearer ${SECRET}`],
  },
];

describe.each(PROGRAMS)("$kind.kind", { timeout: 300_000 }, ({ kind, api: standIn, bash, told, key, keepsNone }) => {
  const missing = whyWithout(kind.kind);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  /** Writes a file by a command, then says that it is done. */
  const works: Script = (turn) =>
    turn === 0 ? { say: "I write it.", tool: bash("echo done > made.txt") } : { say: "It is done." };

  test("works, is heard, and costs what the gateway counts; the key stays outside", async () => {
    const api = await standIn(works);
    const run = await runAgent(folder(), kind, api.port);
    expect(run).toMatchObject({ ending: "exited", exitCode: 0 });
    expect(run.stop).toBeUndefined();
    expect(readFileSync(join(run.worktree, "made.txt"), "utf8")).toBe("done\n");
    expect(run.activity).toEqual(["I write it.", `${told}echo done > made.txt`, "It is done."]);
    expect(run.costUsd).toBeGreaterThan(0);
    expect(run.costUsd).toBeLessThan(0.01);
    expect(api.seen.map(({ headers }) => headers[key[0]])).toContain(key[1]);
    expect(readFileSync(join(folder(), "agent.log"), "utf8")).not.toContain(SECRET);
    // Whatever it keeps, it keeps in the session folder of this attempt, where the next one does not look.
    expect(readdirSync(run.worktree).sort()).toEqual([".git", "made.txt"]);
    expect(readdirSync(join(folder(), "home"))).toEqual([]);
    const kept = readdirSync(join(folder(), "session"), { recursive: true, encoding: "utf8" });
    if (keepsNone) expect(kept.filter((name) => name.endsWith(".jsonl"))).toEqual([]);
  });

  test("commits; what is outside of its walls stays as it is", async () => {
    const forbidden = join(folder(), "prompt.md");
    const git = "git -c user.name=a -c user.email=a@example.com commit -qm made";
    const script: Script = (turn) =>
      turn === 0
        ? { tool: bash(`echo done > made.txt && git add -A && ${git}`) }
        : turn === 1
          ? { tool: bash(`echo cheated > ${forbidden}; echo cheated > /etc/cheated; cat ${folder()}/home/secret`) }
          : { say: "It is done." };
    const api = await standIn(script);
    mkdirSync(join(folder(), "home"), { recursive: true });
    writeFileSync(join(folder(), "home", "secret"), "not-for-agents");
    const run = await runAgent(folder(), kind, api.port);
    expect(run.stop).toBeUndefined();
    const log = execFileSync("git", ["-C", run.worktree, "log", "--format=%s"], { encoding: "utf8" });
    expect(log).toBe("made\n");
    expect(readFileSync(forbidden, "utf8")).not.toContain("cheated");
    expect(existsSync("/etc/cheated")).toBe(false);
    // The model was told that it failed, and nothing of what it asked for.
    expect(api.seen.at(-1)?.body).toContain("cheated");
    for (const { body } of api.seen) expect(body).not.toContain("not-for-agents");
  });

  test.each<[string, Turn, Partial<AgentResult["stop"] & object>]>([
    ["a wrong key", { status: 401, error: "invalid x-api-key" }, { kind: "authentication" }],
    ["a key without the right", { status: 403, error: "not allowed" }, { kind: "permission" }],
    ["an unknown model", { status: 404, error: "model: nobody" }, { kind: "model" }],
    ["a used-up limit", { status: 429, error: "limit", headers: { "retry-after": "3600" } }, { kind: "rate-limited" }],
    ["an overloaded API", { status: 529, error: "Overloaded" }, { kind: "overloaded" }],
    ["a broken API", { status: 500, error: "oops" }, { kind: "overloaded" }],
    ["a connection that breaks in every answer", { as: "cut" }, { kind: "unfinished" }],
    ["an answer that is none", { as: "raw", text: "event: nonsense\ndata: {]\n\n" }, { kind: "unfinished" }],
  ])("%s is no success, and is told by its kind", async (_, turn, stop) => {
    const api = await standIn(() => turn);
    const run = await runAgent(folder(), kind, api.port, { options: QUICK });
    expect(run.stop).toMatchObject(stop);
    expect(run.ending).toBe("exited");
  });

  test("an API that cannot be reached is told as that", async () => {
    const run = await runAgent(folder(), kind, 1, { options: QUICK, timeoutMs: 150_000, silenceMs: 150_000 });
    expect(run.stop).toMatchObject({ kind: "unreachable", says: "the model's API cannot be reached (ECONNREFUSED)" });
    expect(run.ending).toBe("exited");
    expect(run.costUsd).toBe(0);
  });

  test("an answer that never comes ends by the silence limit", async () => {
    const api = await standIn(() => ({ as: "stall" }));
    const run = await runAgent(folder(), kind, api.port, { silenceMs: 4_000 });
    expect(run.ending).toBe("silent");
    expect(run.stop).toMatchObject({ kind: "unfinished" });
  });

  test("work that never ends is ended by its turns", async () => {
    const again: Script = () => ({ tool: bash("true") });
    const api = await standIn(again);
    const run = await runAgent(folder(), kind, api.port, { options: { turns: 3 } });
    expect(run.stop).toMatchObject({ kind: "turns" });
  });

  test("money is cut off at the gateway, whatever the program thinks of it", async () => {
    // Each time another command: a program may stop by itself where it sees a loop.
    const dear: Script = (turn) => ({
      tool: bash(`true ${turn}`),
      usage: { input: 100_000, output: 20_000 },
    });
    const api = await standIn(dear);
    const run = await runAgent(folder(), kind, api.port, { options: { usdPerAttempt: 5 } });
    expect(run.stop).toMatchObject({ kind: "budget", says: expect.stringContaining("the limit of $5 is reached") });
    expect(run.costUsd).toBeLessThanOrEqual(5);
    expect(run.costUsd).toBeGreaterThan(2);
  });

  test("a line of 10 MB is no event, and breaks nothing", async () => {
    const script: Script = (turn) =>
      turn === 0 ? { tool: bash("head -c 10000000 /dev/zero | tr '\\0' x; echo done > made.txt") } : { say: "It is done." };
    const api = await standIn(script);
    const run = await runAgent(folder(), kind, api.port);
    expect(run.stop).toBeUndefined();
    expect(run.activity.at(-1)).toBe("It is done.");
  });

  test("what the worktree plants is not obeyed: hooks, settings, servers", async () => {
    const script: Script = (turn) => (turn === 0 ? { tool: bash('echo "done$PLANTED" > made.txt') } : { say: "It is done." });
    const api = await standIn(script);
    for (const [path, text] of Object.entries(PLANTED[kind.kind])) {
      const file = join(folder(), "worktree", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const run = await runAgent(folder(), kind, api.port);
    expect(run.stop).toBeUndefined();
    const made = readdirSync(run.worktree).filter((name) => name.startsWith("planted") && !(name in PLANTED[kind.kind]));
    expect(made).toEqual([]);
    expect(readFileSync(join(run.worktree, "made.txt"), "utf8")).toBe("done\n");
    for (const { body } of api.seen) expect(body).not.toContain(PLANTED_WORD);
  });

  test("a kill leaves nothing of it: not the command that its tool runs in a session of its own", async () => {
    const word = `outlive-${process.pid}`;
    const script: Script = () => ({ say: "It goes up.", tool: bash(`echo up; exec -a ${word} sleep 300`) });
    const api = await standIn(script);
    const controller = new AbortController();
    const running = runAgent(folder(), kind, api.port, { signal: controller.signal });
    await vi.waitUntil(() => processesWith(word).length > 0, { timeout: 45_000 });
    controller.abort();
    expect((await running).ending).toBe("aborted");
    expect(processesWith(word)).toEqual([]);
  });
});

test("a subscription's token takes the key's place, and stays outside as well", { timeout: 300_000 }, async ({ skip }) => {
  const missing = whyWithout("claude");
  skip(missing !== undefined, missing);
  const api = await anthropicStandIn(() => ({ say: "It is done." }));
  const run = await runAgent(folder(), claude, api.port, { options: { billing: "subscription" }, bearer: true });
  expect(run.stop).toBeUndefined();
  expect(api.seen.map(({ headers }) => headers["authorization"])).toContain(`Bearer ${SECRET}`);
  expect(api.seen.map(({ headers }) => headers["x-api-key"])).not.toContain(SECRET);
});
