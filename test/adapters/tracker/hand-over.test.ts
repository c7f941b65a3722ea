import { describe, expect, test } from "vitest";
import { createServiceTracker } from "../../../src/adapters/tracker/service/service-tracker.ts";
import type { TicketService } from "../../../src/adapters/tracker/service/ticket-service.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { inLinear, onGitHub } from "../../stand-ins/many-tickets.ts";

const SERVICES = [
  ["Linear", inLinear, "ENG"],
  ["GitHub", onGitHub, "app"],
] as const;

const HOUR_MS = 3_600_000;

/** What a loading has read, and a run goes on with. */
async function handedOver(service: TicketService) {
  const ids = [...(await service.snapshot("whole")).keys()].map((id) => TicketId.parse(id));
  const handed = service.handOver?.(ids);
  if (handed === undefined) throw new Error("nothing is handed over");
  return { ...handed, ids, tracker: createServiceTracker({ service: handed.service, ids, read: handed.tickets }) };
}

describe.each(SERVICES)("the service of a run in %s", (_, open, prefix) => {
  const id = (number: number) => TicketId.parse(`${prefix}-${number}`);

  test("has the tickets as the loading read them, and asks for nothing", async () => {
    await using tickets = await open(10);
    const loading = tickets.service();
    const loaded = await loading.snapshot("whole");
    const keys = loading.keys?.();
    tickets.asked();
    const { tracker, service, ids } = await handedOver({ ...loading, snapshot: async () => loaded });
    expect(await tracker.snapshot()).toEqual(ids.map((each) => loaded.get(each)));
    expect(await tracker.body(id(3))).toBe(loaded.get(id(3))?.body);
    expect(service.keys?.()).toEqual(keys);
    expect(tickets.asked()).toEqual([]);
  });

  test("sees by its first reading what a person did after the loading, however long ago that was", async () => {
    await using tickets = await open(10);
    const { tracker, tickets: loaded } = await handedOver(tickets.service());
    tickets.retitle(4, "Do it otherwise");
    tickets.comment(7, "A word more.");
    tickets.clock.now += HOUR_MS;
    tickets.asked();
    const before = await tracker.snapshot();
    const { tickets: now } = await tracker.read();
    expect(tickets.asked().length).toBeLessThanOrEqual(2);
    const changed = before.filter((each) => now.get(each.id)?.revision !== each.revision).map((each) => each.id);
    expect(changed).toEqual([id(4), id(7)]);
    expect(loaded.get(id(4))?.title).toBe("Do 4");
    expect(now.get(id(4))?.title).toBe("Do it otherwise");
    expect(await tracker.body(id(7))).toContain("A word more.");
  });

  test("reads everything by itself once it is asked to", async () => {
    await using tickets = await open(10);
    const { tracker, service } = await handedOver(tickets.service());
    tickets.retitle(4, "Do it otherwise");
    await tracker.snapshot();
    expect((await tracker.snapshot()).find((each) => each.id === id(4))?.title).toBe("Do it otherwise");
    expect((await service.snapshot("whole")).size).toBe(10);
  });

  test("reads for itself if the loading lacks one of its tickets", async () => {
    await using tickets = await open(3);
    const loading = tickets.service();
    expect(loading.handOver?.([id(1)])).toBeUndefined();
    await loading.snapshot("whole");
    expect(loading.handOver?.([id(1), id(4)])).toBeUndefined();
    expect(loading.handOver?.([id(1), id(3)])).toBeDefined();
  });

  test("finds the tickets that an earlier run has filed", async () => {
    await using tickets = await open(3);
    const filed = TicketId.parse(`${prefix}-2-d1`);
    const earlier: TicketService = tickets.service();
    await earlier.snapshot("whole");
    await earlier.file({ id: filed, title: "Leak", body: "It leaks.", repo: tickets.repo, note: "" });
    const { tracker, ids } = await handedOver(tickets.service());
    expect(ids).toContain(filed);
    expect((await tracker.read()).tickets.get(filed)?.title).toBe("Leak");
    expect(await tracker.taken()).toContain(filed);
  });
});

test("an hour with a start of 1,000 tickets takes less than half of Linear's smallest limits", async () => {
  await using tickets = await inLinear(1_000);
  const { service } = await handedOver(tickets.service());
  const end = tickets.clock.now + HOUR_MS - 1;
  let most = 0;
  for (let acts = 1; tickets.clock.now < end; acts += 1) {
    tickets.retitle(acts, "Do it otherwise");
    await service.snapshot("changes");
    most = Math.max(most, tickets.shares().points);
    tickets.clock.now += service.pauseMs?.() ?? Number.NaN;
  }
  expect(most).toBeLessThan(50);
  expect(most).toBeGreaterThan(30);
});
