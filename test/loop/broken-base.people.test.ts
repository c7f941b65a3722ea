import { describe, expect, test } from "vitest";
import type { Batch, Limits, Ticket } from "../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { ticketById as stateOf } from "../../src/domain/run/state.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, ticketOf } from "../domain/simulate.ts";
import type { Ran } from "./world/engine.ts";
import type { FakeTicket } from "./world/fake-tracker.ts";
import { World, type WorldOptions } from "./world/world.ts";

const [T1, T2] = [TicketId.parse("T-1"), TicketId.parse("T-2")];
const DAYS_MS = 48 * 3_600_000;
const check: StepSpec = { step: "check", name: "tests", command: ["check"], canary: "off" };
const verify = (environment: string): StepSpec => ({
  step: "verify",
  name: "live",
  command: ["verify", environment],
  environment,
});
const line = (...middle: readonly StepSpec[]): StepSpec[] => [{ step: "merge" }, ...middle, { step: "assert" }];
const ticket = (n: number, over: Partial<Ticket> = {}) => ticketOf(`T-${n}`, { finish: line(verify("dev")), ...over });

function batchWith(tickets: readonly Ticket[], over: Partial<Batch> = {}, limits: Partial<Limits> = {}): Batch {
  return {
    ...batchOf(tickets, { workers: 2, attempts: 3, outageMinutes: 15, ...limits }),
    onBroken: "freeze",
    tracker: { kind: "local", path: "/tickets" },
    live: { repeats: 1, everySeconds: 5 },
    ...over,
  };
}

function worldOf(batch: Batch, options: Pick<WorldOptions, "work" | "command">): World {
  return new World({ batch, agents: [], verifies: [], ...options });
}

/** Fails while any file of the base is bad. */
function isWhole({ files }: Pick<Ran, "files">): boolean {
  return ![...files.values()].some((text) => text.endsWith("bad"));
}

function set(world: World, id: TicketId, state: FakeTicket["state"]): void {
  const now = world.tracker.tickets.get(id);
  if (now !== undefined) world.tracker.write(id, { ...now, state });
}

/** Does something once, right after the first event for which `when` holds. */
function once(world: World, when: (event: World["events"][number]) => boolean, act: () => void): void {
  let isDone = false;
  world.listen((event) => {
    if (isDone || !when(event)) return;
    isDone = true;
    act();
  });
}

describe("a run with a broken base ends", () => {
  const hasLanded = (event: World["events"][number]) => event.type === "attempt-ended" && event.outcome === "landed";

  test("if the suspect's ticket vanishes while another attempt waits for the base", async () => {
    const world = worldOf(batchWith([ticket(1), ticket(2), ticket(3)]), { work: ["bad", "good", "good"], command: isWhole });
    world.listen((event) => {
      if (hasLanded(event) && "ticket" in event) world.tracker.write(event.ticket, undefined);
    });
    await world.start();
    await world.pass(DAYS_MS);
    expect(world.state.end?.exitCode).toBe(3);
  });

  test("if the suspect waits for a ticket that a person has gated", async () => {
    const after = { dependsOn: [T1] };
    const tickets = [ticket(1, { finish: line() }), ticket(2, after), ticket(3, after), ticket(4, after)];
    const world = worldOf(batchWith(tickets), { work: ["good", "bad", "good", "good", "good"], command: isWhole });
    once(world, hasLanded, () => set(world, T1, { as: "human-gated", step: "ask Jo" }));
    await world.start();
    await world.pass(DAYS_MS);
    expect(world.state.end?.exitCode).toBe(1);
  });

  test("if what the suspect changed keeps its own repair from being prepared", async () => {
    const plain = batchWith([ticket(0, { finish: line() }), ticket(1), ticket(2)]);
    const app = plain.repos["app"];
    if (app === undefined) throw new Error("there is no repository");
    const world = worldOf(
      { ...plain, repos: { app: { ...app, prepare: [["prepare"]] } } },
      {
        work: ["good", "bad", "good", "good"],
        // A worktree is made from the base.
        command: ({ files }) => isWhole({ files: files.size > 0 ? files : world.repo.filesOf() }),
      },
    );
    await world.start();
    await world.pass(DAYS_MS);
    expect(world.state.end?.exitCode).toBe(1);
  });

  test("if a person closes the suspect and opens it again while it is being reverted", async () => {
    const batch = batchWith([ticket(1), ticket(2)], { onBroken: "revert" });
    const world = worldOf(batch, { work: ["bad", "good"], command: isWhole });
    once(
      world,
      ({ type }) => type === "revert-landed",
      () => set(world, T1, { as: "done" }),
    );
    once(
      world,
      (event) => event.type === "tracker-drifted" && event.change.kind === "closed",
      () => set(world, T1, { as: "open" }),
    );
    await world.start();
    await world.pass(DAYS_MS);
    expect(world.events.some((event) => event.type === "tracker-drifted" && event.change.kind === "reopened")).toBe(true);
    expect(world.state.reverting).toEqual([]);
    expect(world.state.end?.exitCode).toBe(0);
  });
});

test("a ticket that has landed twice, and was done in between, is not reverted by half", async () => {
  // Twice it fails, its revert is refused, it fails, lands again, and passes later. The last check of all fails.
  const results = [false, false, false, false, true, false, false, false, false];
  let reverts = 0;
  const finish = [check, ...line(verify("dev"))];
  // Nothing in this world reads what a change suppresses.
  const allow = { testsRemoved: [], testsSkipped: [], suppressions: true };
  const world = worldOf(batchWith([ticket(1, { finish, allow })], { onBroken: "revert" }), {
    work: ["bad", "good"],
    command: ({ argv: [what], marker }) => {
      if (what !== "check") return results.shift() ?? true;
      if (marker.endsWith("/revert")) reverts += 1;
      return !(marker.endsWith("/revert") && reverts === 1);
    },
  });
  await world.start();
  await world.pass(DAYS_MS);
  expect(world.events.some(({ type }) => type === "revert-failed")).toBe(true);
  expect(stateOf(world.state, T1).reverted).toBeUndefined();
  expect(world.repo.filesOf().has("T-1.txt")).toBe(true);
});

describe("the last re-verification", () => {
  test.each(["before", "during"] as const)(
    "finds a done ticket broken, whoever takes the one that breaks it %s",
    async (when) => {
      const batch = batchWith([ticket(1), ticket(2, { dependsOn: [T1] })], {}, { attempts: 1 });
      const world = worldOf(batch, { work: ["good", "bad"], command: isWhole });
      const isNow = (event: World["events"][number]) =>
        when === "before"
          ? event.type === "live-check-ended" && !event.ok
          : event.type === "live-check-started" && event.why === "end";
      once(world, isNow, () => set(world, T2, { as: "human-gated", step: "ask Jo" }));
      await world.start();
      await world.pass(DAYS_MS);
      expect(stateOf(world.state, T2).phase).toBe("human-gated");
      expect(world.state.end?.exitCode).toBe(1);
    },
  );

  test("goes on to no environment that follows one which waits", async () => {
    const ran: string[] = [];
    const tickets = [
      ticket(1, { finish: line(verify("staging"), verify("prod")) }),
      ticket(2, { finish: line(verify("dev"), verify("staging")), dependsOn: [T1] }),
    ];
    const world = worldOf(batchWith(tickets, {}, { attempts: 1 }), {
      work: ["good", "bad"],
      command: (command) => {
        if (command.marker.endsWith("/reverify")) ran.push(command.argv.join(" "));
        return command.argv[1] !== "dev" || isWhole(command);
      },
    });
    await world.start();
    await world.pass(DAYS_MS);
    expect(ran).toEqual(["verify dev"]);
  });
});
