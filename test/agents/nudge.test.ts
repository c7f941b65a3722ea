import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { loadProgram } from "../../src/adapters/agent/registry.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { createRunFiles } from "../../src/adapters/run-files/run-files.ts";
import { nudgeLine } from "../../src/domain/behaviour/nudge.ts";
import { Fence } from "../../src/domain/values/ids.ts";
import { watchGuard } from "../../src/loop/attempt/guard.ts";
import { batchOf, ticketOf } from "../domain/simulate.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { bundleGuard } from "./guard-bundle.ts";
import { KIND_NAMES, KINDS } from "./kinds.ts";
import { whyWithout } from "./programs.ts";
import { runAgent } from "./stage.ts";

const folder = scratchFolder();
const LINE = nudgeLine("momentum", 7);

describe.each(KIND_NAMES)("a line for the agent of the real %s", { timeout: 300_000 }, (name) => {
  const missing = whyWithout(name);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("is in a request to the model, handed on once", async () => {
    const root = folder();
    mkdirSync(join(root, "worktree"), { recursive: true });
    const turns = ["one", "two", "three", "four"].map((word) => ({ tool: KINDS[name].shell(`echo ${word} > ${word}.txt`) }));
    const api = await KINDS[name].standIn((turn) => turns[turn] ?? { say: "Done." });
    const behaviour = { onFail: "nudge" } as const;
    const batch = { ...batchOf([ticketOf("T-1")]), agent: { kind: name } as never, behaviour: behaviour as never };
    const files = { guard: join(root, "session/guard"), guardReport: join(root, "session/guard-report.jsonl") };
    const open = { ticket: ticketOf("T-1"), fence: Fence.parse(1), files } as never;
    const guard = watchGuard(
      { batch, clock: systemClock, confined: true, report: () => true, files: createRunFiles({ folder: root, worktrees: root }) },
      open,
      { baseSha: "0".repeat(40), onBlocked: () => undefined, onFault: () => undefined },
    );
    let isTold = false;
    const run = await runAgent(root, await loadProgram(name), api.port, {
      guardProgram: await bundleGuard(join(root, "guard-program")),
      ...(guard.task && { guard: guard.task }),
      onEvent: (event) => {
        if (event.what !== "tool" || isTold) return;
        isTold = true;
        guard.nudge(LINE);
      },
    });
    await guard.end();
    expect([run.exitCode, isTold], readFileSync(join(root, "agent.log"), "utf8")).toEqual([0, true]);
    const asked = api.seen.map(({ body }) => body.split("has failed: 7 actions in a row").length - 1);
    expect(asked.at(-1), asked.join(" ")).toBe(1);
    const claims = readFileSync(files.guardReport, "utf8").split("\n");
    expect(claims.filter((line) => line.startsWith('{"event":"nudge"'))).toHaveLength(1);
  });
});
