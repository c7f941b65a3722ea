import { describe, expect, test } from "vitest";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import { admitDiscovery, discoveredId, withEarlier } from "../../../src/domain/outbox/discovery.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { atWork, D1, discover, FINISH, found, T1, T2 } from "../finder.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

/** The ticket that becomes of a discovery; throws where it is refused. */
function admitted(over: Record<string, unknown>) {
  const admission = admitDiscovery(atWork().state, T1, found(over));
  if (!admission.ok) throw new Error(admission.why);
  return admission.ticket;
}

describe("the words of a discovery", () => {
  test("are without blanks around what is left of them", () => {
    expect(admitted({ title: "\u200b leak \u200b" }).title).toBe("leak");
    expect(admitted({ body: "", reason: "\u200b seen \u200b" }).body).toBe("Found by the worker on T-1: seen");
  });

  test("keep a thousand lines of a body, and count the others", () => {
    const lines = admitted({ body: "x\n".repeat(1_500) }).body.split("\n");
    expect(lines.slice(998)).toEqual(["x", "… 501 more lines", "", "Found by the worker on T-1: seen under way"]);
  });

  test("name a ticket by its title, blanks around it aside, but not by its letters alone", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2", { title: " A leak " })], { discoveries: 9 }));
    const why = "T-2 of the batch has this title already";
    expect(admitDiscovery(sim.state, T1, found({ title: "a leak" }))).toEqual({ ok: false, why });
    expect(admitDiscovery(sim.state, T1, found({ title: "Aleak" }))).toMatchObject({ ok: true });
  });

  test("that name no repository of the batch are told of twenty that it has", () => {
    const names = Array.from({ length: 30 }, (_, i) => `r${i}`);
    const { state } = atWork();
    const app = state.batch.repos["app"];
    const batch = { ...state.batch, repos: Object.fromEntries(names.map((name) => [name, app])) } as Batch;
    expect(admitDiscovery({ ...state, batch }, T1, found())).toEqual({
      ok: false,
      why: `the batch has no repository "app"; it has ${names.slice(0, 20).join(", ")}`,
    });
  });
});

describe("the id of a discovered ticket with a long finder", () => {
  const idsOf = (finder: string, count: number, taken: string[] = []) => {
    for (let n = 0; n < count; n += 1) taken.push(discoveredId(TicketId.parse(finder), taken));
    return taken;
  };

  test("has a hash in place of the finder's end, and keeps its number", () => {
    const long = TicketId.parse("A".repeat(64));
    const id = discoveredId(long, [long]);
    expect(id).toMatch(/^A{52}-[0-9a-f]{8}-d1$/);
    expect(discoveredId(long, [long, id.toLowerCase()])).toBe(id.replace(/1$/, "2"));
  });

  test("is none of another finder whose id begins alike", () => {
    const [one, other] = ["x", "y"].map((end) => discoveredId(TicketId.parse("A".repeat(63) + end), []));
    expect(one).not.toBe(other);
  });

  test.each([
    `${"A".repeat(64)}`,
    `${"A".repeat(61)}-d1`,
    `app-7${"-d12".repeat(14)}`,
    `${"a".repeat(40)}-123456789-d1-d1-d1-d1`,
  ])("is never that of another discovery of it: %s", (finder) => {
    const ids = idsOf(finder, 110, [finder]);
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
    expect(Math.max(...ids.map((id) => id.length))).toBeLessThanOrEqual(64);
  });

  test("is named after the ticket at which its finder was found, so that a tracker knows its parent", () => {
    const finder = TicketId.parse(`app-7${"-d1".repeat(19)}`);
    expect(discoveredId(finder, [finder])).toBe(`${finder.slice(0, -3)}-d2`);
  });
});

describe("a new run of a batch in which a ticket was found", () => {
  /** What an earlier run leaves: T-2 waits for T-1, and T-1 for what its worker found. */
  const earlier = () => {
    const sim = atWork();
    discover(sim, { blocks: true });
    return sim.state;
  };
  const begin = (batch: Partial<Batch> = {}, isThere = true) => {
    const state = earlier();
    return withEarlier({ ...state.batch, ...batch }, state, () => isThere);
  };
  const waits = ({ tickets }: Batch) => Object.fromEntries(tickets.map(({ id, dependsOn }) => [id, dependsOn]));

  test("has it too, with the batch's finish line, and its finder waits for it", () => {
    const batch = begin();
    expect(waits(batch)).toEqual({ "T-1": [D1], "T-2": [T1], "T-1-d1": [] });
    expect(batch.tickets.at(-1)).toMatchObject({ id: D1, foundBy: T1, finish: FINISH });
  });

  test("takes nothing else of the earlier one: what its tickets wait for is the batch's, and new ones wait for nothing", () => {
    const tickets = [ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")];
    expect(waits(begin({ tickets }))).toEqual({ "T-1": [D1], "T-2": [], "T-3": [], "T-1-d1": [] });
    expect(waits(begin({ tickets: [ticketOf("T-2", { dependsOn: [D1] })] }))).toEqual({ "T-2": [D1], "T-1-d1": [] });
  });

  test("is as it is written where the tracker does not hold the ticket, the batch names it or lacks its repository", () => {
    const { batch } = earlier();
    expect(begin({}, false)).toEqual(batch);
    const named = [...batch.tickets, ticketOf("t-1-D1")];
    expect(begin({ tickets: named }).tickets).toEqual(named);
    const { web } = batch.repos;
    expect(waits(begin({ repos: { web } as Batch["repos"] }))).toEqual({ "T-1": [], "T-2": [T1] });
  });
});

test("who found a ticket is named by it, not by what the ticket waits for", () => {
  expect(admitted({ blocks: true })).toMatchObject({ foundBy: T1, dependsOn: [] });
  expect(admitDiscovery(atWork().state, T2, found())).toMatchObject({ ticket: { id: "T-2-d1", foundBy: T2 } });
});
