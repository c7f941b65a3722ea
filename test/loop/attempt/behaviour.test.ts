import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../src/domain/run/agent-event.ts";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { watchBehaviour } from "../../../src/loop/attempt/behaviour.ts";
import type { AgentTask } from "../../../src/ports/agent.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { batchOf, ticketOf } from "../../domain/simulate.ts";
import { FakeClock } from "../fake-clock.ts";
import { Stage } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const WORDS = ["apple", "pear", "plum", "cherry"];

const used = (call: string, event: Partial<Extract<AgentEvent, { what: "tool" }>>, failed = false): readonly AgentEvent[] => [
  { what: "tool", text: "a tool", call, ...event },
  { what: "result", text: failed ? "File not found" : "", failed, call },
];
const lost = (i: number) => used(`r${i}`, { action: { does: "read", paths: [`${i}.ts`] } }, true);
const tell = ({ onEvent }: AgentTask, events: readonly AgentEvent[]) => {
  for (const event of events) onEvent?.(event);
};
const change = ({ worktree, attempt }: AgentTask, path = "T-1.txt"): undefined => {
  mkdirSync(join(worktree, path, ".."), { recursive: true });
  writeFileSync(join(worktree, path), `${WORDS[attempt]}\n`);
};

describe("an attempt's signals", () => {
  test("are known while its agent works, and afterwards", async () => {
    let live: unknown;
    using stage: Stage = await Stage.open({
      tickets: [ticketOf("T-1")],
      work: (task) => {
        tell(task, [0, 1, 2].flatMap(lost));
        live = stage.of("signals-changed").at(-1);
        change(task);
      },
    });
    stage.start();
    await stage.ended();
    // The first report is made at once, and the next after a second or at the end.
    expect(live).toMatchObject({ signals: { exist: { level: "pass" }, recall: { level: "skip" } } });
    const [past] = stage.ticket(T1).history;
    expect(past?.signals).toMatchObject({ exist: { level: "warn" }, relevance: { level: "pass" } });
    expect(stage.of("signals-changed").map(({ risen }) => risen)).toEqual([undefined, ["exist"]]);
  });

  test("RELEVANCE warns of edits in danger zones by what the program tells, and by the captured change", async () => {
    const zone = { path: "auth/", why: "", origin: { file: "BOUND.md", line: 2 } } as const;
    using stage = await Stage.open({
      tickets: [ticketOf("T-1"), ticketOf("T-2")],
      bounds: { app: { zones: [zone], neverDo: [], ironLaws: [] } },
      work: (task) => {
        if (task.ticket === T1) return change(task, "auth/login.ts");
        tell(task, used("1", { action: { does: "edit", paths: [join(task.worktree, "auth/login.ts")] } }));
        return change(task, "T-1.txt");
      },
    });
    stage.start();
    await stage.ended();
    const reasons = stage.of("signals-changed").map(({ signals }) => signals.relevance.why);
    expect(reasons.filter((why) => why !== undefined)).toEqual(Array(2).fill("edits in danger zones: auth/login.ts"));
  });

  test("RELEVANCE is that of the captured change, for any agent, whatever its program has printed", async () => {
    using stage = await Stage.open({
      tickets: [ticketOf("T-1", { finish: [{ step: "gates" }, { step: "merge" }, { step: "assert" }] })],
      protect: ["ci/**"],
      limits: { attempts: 2 },
      work: (task) => {
        if (task.attempt === 1) return change(task, "ci/build.yml");
        tell(task, used("1", { action: { does: "edit", paths: [join(task.worktree, "ci/build.yml")] } }));
        change(task);
      },
    });
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1).history.map(({ signals }) => signals?.relevance.level)).toEqual(["fail", "pass"]);
    expect(stage.ticket(T1).history[0]?.signals?.exist.level).toBe("skip");
    expect(stage.of("signals-changed").map(({ signals }) => signals.relevance.level)).toEqual([
      "fail",
      ...["pass", "fail", "pass"],
    ]);
    const [, second] = stage.tasks;
    expect(readFileSync(second?.promptFile ?? "", "utf8")).toMatch(
      /^Who wrote ticket T-1 .*\n\nloopdash computed .*\n- DRIFT: the last attempt edited protected paths/,
    );
  });
});

test("the fourth prompt says, after who wrote the ticket, the alerts of three failures at one step; the log is beside the attempts", async () => {
  const finish = [
    { step: "check", name: "tests", command: ["sh", "-c", "cat T-1.txt; false"] },
    { step: "merge" },
    { step: "assert" },
  ] as const;
  using stage = await Stage.open({
    tickets: [ticketOf("T-1", { finish })],
    limits: { attempts: 4 },
    work: (task) => change(task),
  });
  stage.start();
  await stage.ended();
  const prompts = stage.tasks.map(({ promptFile }) => readFileSync(promptFile, "utf8").split("\n\n")[1] ?? "");
  expect(prompts.slice(0, 3).join()).not.toContain("alerts");
  expect(prompts[3]).toBe(
    'loopdash computed these alerts from the earlier attempts at this ticket:\n- HOT FILES: failed attempts keep changing "T-1.txt". Find the cause before you change it again; it may be elsewhere.\n- STUCK: 3 attempts in a row failed at check tests. Do not try the same again: read its output first, and question the approach.',
  );
  const lines = readFileSync(join(stage.root, "run/tickets/T-1/reflective-log.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(stage.ticket(T1).reflections);
  expect(stage.ticket(T1).reflections?.map(({ pattern }) => pattern.sameStepInARow)).toEqual([1, 2, 3, 4]);
});

describe("reports of signals", () => {
  function watched() {
    const clock = new FakeClock();
    const facts: RunFact[] = [];
    const ctx = {
      clock,
      batch: batchOf([ticketOf("T-1")]),
      repos: new Map([["app", { place: "/place" } as never]]),
      report: (fact: RunFact) => facts.push(fact) > 0,
    };
    const of = { ticket: ticketOf("T-1"), fence: Fence.parse(1) };
    return { clock, facts, behaviour: watchBehaviour(ctx, of, { worktree: "/worktree" }) };
  }

  test("come at most once a second, and new reasons alone every half minute", () => {
    const { clock, facts, behaviour } = watched();
    for (let i = 0; i < 1_000; i++) {
      for (const event of lost(i)) behaviour.event(event);
      clock.advance(100);
    }
    // One at first, two levels, and every half minute of the hundred seconds one.
    expect(facts.length).toBeGreaterThanOrEqual(4);
    expect(facts.length).toBeLessThanOrEqual(8);
    behaviour.end();
    expect(facts.at(-1)).toMatchObject({ signals: { exist: { level: "fail" } } });
    expect(clock.waiting).toBe(0);
  });

  test("are bounded, however long it goes on", () => {
    const { clock, facts, behaviour } = watched();
    for (let i = 0; i < 400; i++) {
      for (const event of lost(i)) behaviour.event(event);
      clock.advance(60_000);
    }
    expect(facts.length).toBeLessThanOrEqual(105);
  });

  test("say nothing of an agent whose program prints no known events", () => {
    const { facts, behaviour } = watched();
    behaviour.event({ what: "text", text: "I work" });
    behaviour.end();
    expect(facts).toEqual([]);
  });
});
