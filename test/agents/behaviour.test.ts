import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { StandIn } from "../../packages/model-gateway/test/stage.ts";
import type { AgentProgram } from "../../src/adapters/agent/agent-program.ts";
import { claude } from "../../src/adapters/agent/vendors/claude/launch.ts";
import { codex } from "../../src/adapters/agent/vendors/codex/launch.ts";
import { gemini } from "../../src/adapters/agent/vendors/gemini/launch.ts";
import { opencode } from "../../src/adapters/agent/vendors/opencode/launch.ts";
import { aWatch, CALM, EXPECTED, levelsOf } from "../domain/behaviour/replay.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { BEHAVIOURS, type Behaviour, CALLS, makeWorktree } from "./behaviours.ts";
import { whyWithout } from "./programs.ts";
import { runAgent } from "./stage.ts";
import { anthropicStandIn, chatStandIn, geminiStandIn, responsesStandIn, type Script } from "./stand-in.ts";

const folder = scratchFolder();

const PROGRAMS: readonly { readonly kind: AgentProgram; readonly api: (script: Script) => Promise<StandIn> }[] = [
  { kind: claude, api: anthropicStandIn },
  { kind: codex, api: responsesStandIn },
  { kind: gemini, api: geminiStandIn },
  { kind: opencode, api: chatStandIn },
];

/** The recordings of test/corpora/behaviour are the logs of these runs. A version with other tools or events fails here. */
describe.each(PROGRAMS)("$kind.kind", { timeout: 300_000 }, ({ kind, api }) => {
  const missing = whyWithout(kind.kind);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test.each(Object.keys(BEHAVIOURS) as Behaviour[])("an agent that %s is heard as it works", async (behaviour) => {
    const worktree = join(folder(), "worktree");
    makeWorktree(worktree);
    const script: Script = (turn) => {
      const act = BEHAVIOURS[behaviour][turn];
      return act === undefined ? { say: "Done." } : { tool: CALLS[kind.kind](act, worktree) };
    };
    const watch = aWatch({ roots: [worktree] });
    const run = await runAgent(folder(), kind, (await api(script)).port, { onEvent: (event) => watch.take(event) });
    expect(run.exitCode).toBe(0);
    const { recall: _, ...levels } = levelsOf(watch.signals);
    expect(levels, readFileSync(join(folder(), "agent.log"), "utf8")).toEqual({ ...CALM, ...EXPECTED[behaviour] });
  });
});
