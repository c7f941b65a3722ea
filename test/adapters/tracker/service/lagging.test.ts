import { describe, expect, test } from "vitest";
import { createServiceTracker } from "../../../../src/adapters/tracker/service/service-tracker.ts";
import type { ServiceTicket, TicketService } from "../../../../src/adapters/tracker/service/ticket-service.ts";
import { type TrackerState, textSha } from "../../../../src/domain/run/drift-fact.ts";
import { RepoId, TicketId } from "../../../../src/domain/values/ids.ts";
import { TicketConflict, TrackerBusy } from "../../../../src/ports/tracker.ts";

const T1 = TicketId.parse("T-1");
const FOUND = TicketId.parse("T-1-d1");
const DONE: TrackerState = { as: "done" };

function aTicket(id: TicketId, state: TrackerState): ServiceTicket {
  const words = { titleSha: textSha(""), bodySha: textSha(""), dependsOn: [] };
  return { id, title: "", body: "", state, revision: state.as, ...words };
}

/** A tracker whose service shows what `shown` holds; `reply` is what comes of a write. */
function lagging({ reply = () => undefined, writes = 1 }: { readonly reply?: () => void; readonly writes?: number } = {}) {
  const stage = { now: 1_000_000, shown: new Map([[T1, aTicket(T1, { as: "open" })]]), sent: 0 };
  const write = (): void => {
    stage.sent += writes;
    reply();
  };
  const service: TicketService = {
    name: "Slow",
    snapshot: async () => new Map(stage.shown),
    taken: async () => [],
    set: async ({ id, state }) => {
      write();
      return { before: aTicket(id, { as: "open" }), after: aTicket(id, state) };
    },
    file: async ({ id }) => {
      write();
      return { filed: aTicket(id, { as: "open" }) };
    },
    forget: () => undefined,
    writesSent: () => stage.sent,
  };
  return { stage, tracker: createServiceTracker({ service, ids: [T1], now: () => stage.now }) };
}

const lost = (): never => {
  throw new Error("reset");
};

describe("a reading after a write", () => {
  const GATED: TrackerState = { as: "human-gated", step: "ask Jo" };
  test.each([
    ["whose answer was lost", DONE, lost],
    ["that gated a ticket", GATED, undefined],
  ])("%s does not count for 10 s if it does not show it", async (_, state, reply) => {
    const { stage, tracker } = lagging(reply && { reply });
    await tracker.set(T1, state, "").catch(() => undefined);
    await expect(tracker.read()).rejects.toThrow(TrackerBusy);
    stage.now += 9_999;
    await expect(tracker.read()).rejects.toThrow("Slow: T-1 was written just now");
    stage.now += 1;
    expect((await tracker.read()).tickets.get(T1)?.state).toEqual({ as: "open" });
  });

  test("counts at once if it shows it, and what comes later counts too", async () => {
    const { stage, tracker } = lagging({ reply: lost });
    await expect(tracker.set(T1, DONE, "")).rejects.toThrow("reset");
    stage.shown.set(T1, aTicket(T1, DONE));
    expect((await tracker.read()).tickets.get(T1)?.state).toEqual(DONE);
    stage.shown.set(T1, aTicket(T1, { as: "open" }));
    expect((await tracker.read()).tickets.get(T1)?.state).toEqual({ as: "open" });
  });

  test("that closed a ticket, and was answered, counts at once", async () => {
    const { tracker } = lagging();
    await tracker.set(T1, DONE, "");
    expect((await tracker.read()).tickets.get(T1)?.state).toEqual({ as: "open" });
  });

  test("is asked for again after 2 s", async () => {
    const { stage, tracker } = lagging({ reply: lost });
    await tracker.set(T1, DONE, "").catch(() => undefined);
    await expect(tracker.read()).rejects.toMatchObject({ retryAt: stage.now + 2_000 });
    stage.now += 9_000;
    await expect(tracker.read()).rejects.toMatchObject({ retryAt: stage.now + 1_000 });
  });

  test("counts at once if nothing was sent, or the write was refused", async () => {
    const unsent = lagging({ reply: lost, writes: 0 });
    await unsent.tracker.set(T1, DONE, "").catch(() => undefined);
    await expect(unsent.tracker.read()).resolves.toBeDefined();
    const refuse = (): never => {
      throw new TicketConflict("no");
    };
    const refused = lagging({ reply: refuse });
    await refused.tracker.set(T1, DONE, "").catch(() => undefined);
    await expect(refused.tracker.read()).resolves.toBeDefined();
  });

  test("does not make a ticket vanish that was filed just now", async () => {
    const { stage, tracker } = lagging();
    const repo = RepoId.parse("app");
    await tracker.file({ id: FOUND, title: "", body: "", repo, note: "" });
    await expect(tracker.read()).rejects.toThrow(TrackerBusy);
    stage.shown.set(FOUND, aTicket(FOUND, { as: "open" }));
    expect((await tracker.read()).tickets.has(FOUND)).toBe(true);
  });
});
