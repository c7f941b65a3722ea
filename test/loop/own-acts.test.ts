import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { computeLedger } from "../../src/domain/results/ledger.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Adjudicator, claim, leave, withTemplate } from "./blocker-stage.ts";
import { open } from "./drift-stage.ts";
import { opened } from "./evidence-stage.ts";
import { openHealing } from "./heal-stage.ts";
import { honest, MENDED, proofStage } from "./proof-stage.ts";
import { oneFile, Stage } from "./stage.ts";

cleanUp();
const FINISH = [{ step: "gates" }, { step: "merge" }, { step: "assert" }] as const;
const done = { exitCode: 0 };

/** The facts by which an engine tells that it has written to git or to the tracker. */
const WRITES: readonly RunEvent["type"][] = [
  "merge-landed",
  "revert-landed",
  "work-kept",
  "change-captured",
  "tracker-written",
  "ticket-gated",
  "discovery-filed",
  "heal-kept",
];
const seen = new Set<RunEvent["type"]>();
afterAll(() => expect(WRITES.filter((type) => !seen.has(type))).toEqual([]));

const discovers = (task: AgentTask) => {
  mkdirSync(join(task.outbox, "discovered"), { recursive: true });
  if (task.ticket === "T-1") leave(task, "discovered/001.json", { title: "More", reason: "seen" });
  return oneFile(task);
};
const outOfTime = (task: AgentTask) => {
  void oneFile(task);
  return task.attempt === 1 ? ({ ending: "out-of-time", exitCode: null, signal: "SIGKILL" } as const) : undefined;
};

test.each<[string, () => Promise<Stage>]>([
  ["landings, told to a folder of tickets", async () => (await open()).stage],
  ["a revert of what is not proven", () => proofStage({ "T-1": [MENDED, honest("T-1")] }, { inFolder: true })],
  [
    "fixers that repair what an agent left",
    () =>
      opened({
        base: { "old.txt": "old" },
        check: { step: "check", name: "loud", command: ["grep", "-q", "LOUD", "new.txt"] },
        stage: { inFolder: true, work: ({ worktree }) => void writeFileSync(join(worktree, "new.txt"), "quiet") },
        ctx: ({ batch }) => {
          const fixers = [["sh", "-c", "echo LOUD > new.txt"]] as const;
          return { batch: { ...batch, repos: { app: { path: "", base: "main", prepare: [], fixers } } } };
        },
      }),
  ],
  [
    "a gate by an upheld blocker",
    () =>
      Stage.open(
        {
          tickets: [ticketOf("T-1", { finish: FINISH })],
          inFolder: true,
          work: (task) => (leave(task, "blocker.json", claim()), oneFile(task)),
        },
        (ctx) => ({ ...withTemplate(ctx), ...new Adjudicator().context }),
      ),
  ],
  [
    "a discovered ticket",
    () => Stage.open({ tickets: [ticketOf("T-1")], limits: { discoveries: 3 }, inFolder: true, work: discovers }),
  ],
  ["work that is kept on a branch", () => Stage.open({ tickets: [ticketOf("T-1")], inFolder: true, work: outOfTime })],
  ["a heal that is kept", async () => (await openHealing({ inFolder: true })).stage],
])("what loopdash writes itself is no person's act: %s", async (_, start) => {
  using stage = await start();
  stage.start();
  expect((await stage.ended()).end).toMatchObject(done);
  for (const { type } of stage.events) seen.add(type);
  expect(stage.state.interventions).toEqual([]);
  expect(computeLedger(stage.state).interventions.total).toBe(0);
});
