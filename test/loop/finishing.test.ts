import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { HumanStep } from "../../src/domain/run/command.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { describeReason, whyNot } from "../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { type Rest, Semaphore } from "../../src/loop/concurrency/semaphore.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import type { Repo } from "../../src/ports/vcs.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, RUN, Stage } from "./stage.ts";

cleanUp();
const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Permits that tell who came for one. */
class Watched extends Semaphore {
  #came = 0;
  #next: (() => void)[] = [];

  override run<T>(task: (rest: Rest) => Promise<T>, signal: AbortSignal): Promise<T> {
    const result = super.run(task, signal);
    this.#came += 1;
    for (const tell of this.#next.splice(0)) tell();
    return result;
  }

  /** Settles once so many have come, in all. */
  async came(n: number): Promise<void> {
    while (this.#came < n) await new Promise<void>((resolve) => void this.#next.push(resolve));
  }
}

/** A command that goes on until it is let go, and from then on ends at once; and what lets it go. */
function held(): { command: readonly string[]; letGo: () => Promise<void> } {
  const file = join(tempDir(), "go");
  return { command: ["sh", "-c", 'until test -e "$0"; do sleep 0.02; done', file], letGo: () => writeFile(file, "") };
}

type Judged = "check" | "verify";

function finishWith(step: Judged, command: readonly string[]): StepSpec[] {
  const merge = { step: "merge" } as const;
  const judge = { step, name: "unit", command } as const;
  return step === "check"
    ? [{ step: "gates" }, judge, merge, { step: "assert" }]
    : [{ step: "gates" }, merge, judge, { step: "assert" }];
}

/** One worker; the command of the first ticket goes on until it is let go, and the second waits for its turn. */
async function scene(step: Judged = "check", more: Ticket[] = []) {
  const { command, letGo } = held();
  const tickets = [
    ticketOf("T-1", { finish: finishWith(step, command) }),
    ticketOf("T-2", { finish: finishWith(step, ["true"]) }),
    ...more,
  ];
  const commandPermits = new Watched(1);
  const firstsTurn = () => stage.until("step-started", (e) => e.type === "step-started" && e.ticket === T1 && e.kind === step);
  const work = async (task: AgentTask) => (task.ticket === T2 ? await firstsTurn() : undefined, oneFile(task));
  const stage: Stage = await Stage.open({ tickets, limits: { workers: 1, attempts: 1 }, work }, () => ({ commandPermits }));
  onTestFinished(() => stage[Symbol.dispose]());
  stage.start();
  await firstsTurn();
  await commandPermits.came(2);
  return { stage, letGo, commandPermits };
}

const endOf = (stage: Stage, ticket: TicketId) =>
  stage.until("attempt-ended", (e) => e.type === "attempt-ended" && e.ticket === ticket);
const stepsOf = (stage: Stage, ticket: TicketId) =>
  stage.of("step-started").flatMap((e) => (e.ticket === ticket ? [e.kind] : []));
const at = (stage: Stage, match: (event: RunEvent) => boolean) => stage.events.findIndex(match);

describe("while a ticket is on the finish line", () => {
  test("its slot has the next agent; with two attempts per worker under way, the one after that waits and is told why", async () => {
    const { stage, letGo } = await scene("check", [ticketOf("T-3")]);
    expect(stage.tasks.map((task) => task.ticket)).toEqual(["T-1", "T-2"]);
    expect(stage.state).toMatchObject({ slots: [null], finishing: [0, 1] });
    expect(describeReason(whyNot(stage.state, 2))).toBe("ready; 2 tickets are being finished first");
    await letGo();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "3 done" });
    expect(stage.tasks).toHaveLength(3);
    const [first, third] = [stage.of("attempt-ended")[0]?.seq ?? 0, stage.of("attempt-claimed")[2]?.seq ?? 0];
    expect(third).toBeGreaterThan(first);
  });

  test.for(["check", "verify"] as const)("a %s of another waits for its turn, and shows no step while it waits", async (step) => {
    const { stage, letGo } = await scene(step);
    const before = step === "check" ? ["gates"] : ["gates", "merge"];
    if (step === "verify") await stage.until("step-ended", (e) => e.type === "step-ended" && e.ticket === T2 && e.step === 1);
    expect(stepsOf(stage, T2)).not.toContain(step);
    expect(stage.ticket(T2).attempt?.step).toBeUndefined();
    await letGo();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    const isOver = (e: RunEvent) =>
      step === "check"
        ? e.type === "suite-ran" && e.tickets.includes(T1)
        : e.type === "step-ended" && e.ticket === T1 && e.step === before.length;
    const over = at(stage, isOver);
    const begun = at(stage, (e) => e.type === "step-started" && e.ticket === T2 && e.kind === step);
    expect(over).toBeGreaterThan(-1);
    expect(begun).toBeGreaterThan(over);
  });

  test("as many commands run at a time as there are workers, not fewer", async () => {
    const both = [held(), held()];
    const tickets = both.map(({ command }, i) => ticketOf(`T-${i + 1}`, { finish: finishWith("check", command) }));
    using stage = await Stage.open({ tickets, limits: { workers: 2 } });
    stage.start();
    for (const ticket of [T1, T2])
      await stage.until("step-started", (e) => e.type === "step-started" && e.ticket === ticket && e.kind === "check");
    expect(stage.of("step-ended").filter((e) => e.step === 1)).toEqual([]);
    stage.engine.orchestrator.stop("SIGTERM");
    await stage.ended();
  });

  test("a check that fails lets the next one have its turn", async () => {
    const finish = finishWith("check", ["false"]);
    using stage = await Stage.open({
      tickets: [
        ticketOf("T-1", { finish }),
        ticketOf("T-2", { finish }),
        ticketOf("T-3", { finish: finishWith("check", ["true"]) }),
      ],
      limits: { workers: 1, attempts: 1 },
    });
    stage.start();
    expect((await stage.ended()).end?.exitCode).toBe(1);
    expect(stage.of("attempt-ended").map((e) => e.outcome)).toEqual(["failed", "failed", "done"]);
  });
});

describe("one that waits for its turn", () => {
  test("is killed at once, not when the one before is over", async () => {
    const { stage, letGo } = await scene();
    stage.engine.orchestrator.command({ type: "kill", ticket: T2 });
    await endOf(stage, T2);
    expect(stage.of("attempt-ended").map((e) => [e.ticket, e.outcome])).toEqual([[T2, "killed"]]);
    expect(stage.state).toMatchObject({ slots: [null], finishing: [0] });
    await letGo();
    await stage.ended();
    expect(stepsOf(stage, T2)).toEqual(["gates"]);
    expect(stage.ticket(T2)).toMatchObject({ phase: "stalled", failures: 1 });
    expect(stage.ticket(T1).phase).toBe("done");
  });

  test("is gated at once, and that costs no attempt", async () => {
    const { stage, letGo } = await scene();
    stage.engine.orchestrator.command({ type: "gate", ticket: T2, step: HumanStep.parse("press it") });
    await stage.until("ticket-gated");
    expect(stage.of("attempt-ended").map((e) => [e.ticket, e.outcome])).toEqual([[T2, "gated"]]);
    await letGo();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "1 done, 1 left to a person" });
    expect(stage.ticket(T2).failures).toBe(0);
  });

  test.for(["check", "verify"] as const)(
    "for its %s is stopped, as is the one before; what both have is gone on with, without an agent",
    async (step) => {
      const { stage, letGo } = await scene(step);
      stage.engine.orchestrator.stop("SIGTERM");
      const state = await stage.ended();
      expect(state).toMatchObject({ end: { exitCode: 130 }, slots: [null], finishing: [], held: {} });
      expect(stage.of("attempt-ended").map((e) => e.outcome)).toEqual(["stopped", "stopped"]);
      expect([stage.ticket(T1), stage.ticket(T2)]).toMatchObject([{ failures: 0 }, { failures: 0 }]);
      await stage.crashAndReopen();
      await stage.resume();
      await stage.until("step-started", (e) => e.type === "step-started" && e.ticket === T1 && e.kind === step && e.fence > 2);
      expect(stage.ticket(T1).attempt?.slotLeftAt).toBeDefined();
      await letGo();
      expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "2 done" });
      expect(stage.tasks).toHaveLength(2);
      expect(stage.git("log", "--format=%s", "main").split("\n").toSorted()).toEqual(["T-1 (T-1)", "T-2 (T-2)", "first"]);
    },
  );

  test("and its engine is killed: both are taken over, whatever they left running is asked for, and nothing is done twice", async () => {
    const { stage, letGo } = await scene();
    stage.engine.dead = true;
    stage.engine.performer.abortAll();
    await stage.engine.performer.idle();
    const asked: unknown[] = [];
    await stage.crashAndReopen(({ executor }) => ({
      executor: { ...executor, killStrays: (options) => (asked.push(options), Promise.resolve(0)) },
    }));
    await stage.resume();
    expect(asked).toEqual([
      {
        processes: [],
        markers: ["reverify", "T-1/1/1", "T-2/1/2"].flatMap((one) =>
          ["", "/base", "/proof", "/new-tests", "/trial"].map((of) => `${RUN}/${one}${of}`),
        ),
      },
    ]);
    expect(stage.of("attempt-ended").map((e) => e.outcome)).toEqual(["lost", "lost"]);
    await letGo();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "2 done" });
    expect(stage.tasks).toHaveLength(2);
  });
});

describe("worktrees that are being made", () => {
  /** The first ticket's agent ends while the worktree of the second is still being made. */
  const making = async (made: () => Promise<void>) => {
    const log: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const change = ({ repos }: LoopContext): Partial<LoopContext> => {
      const repo = repos.get("app") as Repo;
      const addWorktree: Repo["addWorktree"] = async (options) => {
        if (options.branch.endsWith(T2)) await promise.then(made);
        await repo.addWorktree(options);
        log.push(`made ${options.branch.slice(-3)}`);
      };
      const capture: Repo["capture"] = (options) => {
        log.push(`capture ${options.branch.slice(-3)}`);
        return repo.capture(options);
      };
      return { repos: new Map([["app", { ...repo, addWorktree, capture }]]) };
    };
    const stage = await Stage.open(
      { tickets: [ticketOf("T-1"), ticketOf("T-2")], limits: { attempts: 1, outageMinutes: 0.03 }, work: oneFile },
      change,
    );
    onTestFinished(() => stage[Symbol.dispose]());
    stage.start();
    await stage.until("agent-ended");
    for (let i = 0; i < 20; i++) await settle();
    resolve();
    return { stage, log };
  };

  test("go before the collecting of what agents left", async () => {
    const { stage, log } = await making(() => Promise.resolve());
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(log).toEqual(["made T-1", "made T-2", "capture T-1", "capture T-2"]);
  });

  test("and fail hold nothing up but their own attempt, which does not count", async () => {
    const { stage, log } = await making(() => Promise.reject(new Error("no space left")));
    expect((await stage.ended()).end).toMatchObject({ exitCode: 3, reason: expect.stringContaining("no space left") });
    expect(log).toEqual(["made T-1", "capture T-1"]);
    expect(stage.ticket(T1).phase).toBe("done");
    expect(stage.ticket(T2)).toMatchObject({ phase: "waiting", failures: 0 });
  });

  test("are made to the end before they are removed, where the attempt fails meanwhile", async () => {
    const log: string[] = [];
    using stage = await Stage.open(
      { tickets: [ticketOf("T-1")], limits: { attempts: 1, outageMinutes: 0.03 } },
      ({ repos, files }) => {
        const repo = repos.get("app") as Repo;
        const addWorktree: Repo["addWorktree"] = async (options) => {
          await repo.addWorktree(options);
          log.push("made");
        };
        const removeWorktree: Repo["removeWorktree"] = async (options) => {
          log.push("remove");
          await repo.removeWorktree(options);
        };
        const attempt = () => Promise.reject(new Error("disk full"));
        return { files: { ...files, attempt }, repos: new Map([["app", { ...repo, addWorktree, removeWorktree }]]) };
      },
    );
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 3, reason: expect.stringContaining("disk full") });
    expect(log).toEqual(["made", "remove"]);
    expect(stage.ticket(T1).failures).toBe(0);
    expect(stage.git("worktree", "list").split("\n")).toHaveLength(1);
  });
});
