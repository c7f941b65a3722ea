import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createModelAgent } from "../../../src/adapters/agent/model-agent.ts";
import { loadProgram } from "../../../src/adapters/agent/registry.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { ExecRequest, ExecResult } from "../../../src/ports/executor.ts";
import { NOTHING, useStage } from "./support.ts";

const stage = useStage();

/** What an agent does to lay its own settings at the place where Gemini CLI reads them, and to the policies there. */
const TAMPER = `
cd "$F/session"
for path in .gemini .gemini/settings.json .gemini/policies; do
  mv "$path" moved-$(basename "$path") && echo "moved $path"
  rm -rf "$path" 2>/dev/null && echo "removed $path"
done
echo '{"hooksConfig":{"enabled":false}}' > .gemini/settings.json && echo "wrote the settings"
echo own > .gemini/history && echo "wrote beside them"
mv "$F/session" "$F/elsewhere" && echo "moved the session"
echo end
`;

/** Runs Gemini CLI's launch with a guard, in the real sandbox, with a script in the place of the program. */
async function runTampering(): Promise<ExecResult> {
  for (const name of ["session", "outbox"]) mkdirSync(stage.at(name), { recursive: true });
  writeFileSync(stage.at("prompt.md"), "do it\n");
  const results: ExecResult[] = [];
  const run = async ({ model, ...request }: ExecRequest): Promise<ExecResult> => {
    const argv = model === undefined ? request.argv : ["/bin/sh", "-c", TAMPER];
    const result = await stage.run({ ...request, argv, env: { ...request.env, F: stage.folder } });
    results.push(result);
    return result;
  };
  const agent = createModelAgent([
    {
      ...{ kind: await loadProgram("gemini"), program: "gemini", executor: { run }, env: { PATH: "/usr/bin:/bin" } },
      ...{ billing: "api", usdPerAttempt: 1, guard: { argv: ["/bin/true"], read: [] } },
      upstream: { address: "https://model.example", credential: undefined },
    } as never,
  ]);
  const guard = { folder: stage.at("session/guard"), report: stage.at("session/guard-report.jsonl") };
  await agent.run({
    ...{ ticket: TicketId.parse("T-1"), attempt: 1, marker: `gemini-home-${process.pid}`, worktree: stage.at("wt") },
    ...{ outbox: stage.at("outbox"), promptFile: stage.at("prompt.md"), session: stage.at("session") },
    ...{ logFile: stage.at("agent.log"), timeoutMs: 20_000, silenceMs: 20_000, signal: new AbortController().signal },
    confinement: { ...NOTHING, write: [stage.at("wt"), stage.at("session")], read: [stage.at("prompt.md")] },
    guard: { ...guard, settings: {}, onDead: () => undefined },
    onStart: () => undefined,
    onActivity: () => undefined,
  });
  const [last] = results.slice(-1);
  if (last === undefined) throw new Error("nothing ran");
  return last;
}

test("an agent moves neither Gemini CLI's folder away nor what switches its hooks on", { timeout: 60_000 }, async () => {
  const { tail } = await runTampering();
  expect(tail.split("\n").filter((line) => /^(?:moved|removed|wrote|end)/.test(line))).toEqual(["wrote beside them", "end"]);
  expect(JSON.parse(readFileSync(stage.at("session/.gemini/settings.json"), "utf8"))).toMatchObject({
    hooksConfig: { enabled: true },
  });
});
