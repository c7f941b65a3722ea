import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createModelAgent } from "../../../src/adapters/agent/model-agent.ts";
import { loadProgram } from "../../../src/adapters/agent/registry.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { ExecRequest, ExecResult } from "../../../src/ports/executor.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

/** Runs an agent whose session folder was filled by the prepare commands, which after a step back run the code of an earlier attempt. */
async function runIn(kind: "codex" | "gemini", plant: (session: string) => void): Promise<readonly ExecRequest[]> {
  const at = (name: string) => join(folder(), name);
  for (const name of ["session", "tree", "outbox"]) mkdirSync(at(name), { recursive: true });
  writeFileSync(at("prompt.md"), "do it\n");
  plant(at("session"));
  const started: ExecRequest[] = [];
  const end: ExecResult = { ending: "exited", exitCode: 0, signal: null, tail: "", durationMs: 1 };
  const executor = {
    run: (request: ExecRequest) => {
      started.push(request);
      return Promise.resolve(end);
    },
  };
  const agent = createModelAgent([
    {
      ...{ kind: await loadProgram(kind), program: kind, executor, env: {}, billing: "api", usdPerAttempt: 1 },
      upstream: { address: "https://model.example", credential: undefined },
    } as never,
  ]);
  await agent.run({
    ...{ ticket: TicketId.parse("T-1"), attempt: 2, marker: "planted", worktree: at("tree"), outbox: at("outbox") },
    ...{ promptFile: at("prompt.md"), session: at("session"), logFile: at("agent.log") },
    ...{ timeoutMs: 1_000, silenceMs: 1_000, signal: new AbortController().signal },
    onStart: () => undefined,
    onActivity: () => undefined,
  });
  return started;
}

test.each([
  ["codex", "config.toml"],
  ["gemini", ".gemini/settings.json"],
] as const)("the settings of %s are written through no link that lies in the session folder", async (kind, file) => {
  const victim = join(folder(), "persons-own");
  const started = await runIn(kind, (session) => {
    writeFileSync(victim, "mine\n");
    mkdirSync(join(session, file, ".."), { recursive: true });
    symlinkSync(victim, join(session, file));
  });
  expect(started).toHaveLength(1);
  expect(readFileSync(victim, "utf8")).toBe("mine\n");
});

test("nothing that was there before is left for the agent's program", async () => {
  const home = join(folder(), "persons-home");
  await runIn("gemini", (session) => {
    mkdirSync(home);
    symlinkSync(home, join(session, ".gemini"));
  });
  expect(existsSync(join(home, "settings.json"))).toBe(false);
});
