import { describe, expect, it } from "vitest";
import type { TicketService } from "../../../../src/adapters/tracker/service/ticket-service.ts";
import { aService, aStandIn, Clock, requests, takeLog, ticket } from "./stage.ts";

const many = (count: number) => Array.from({ length: count }, (_, n) => ({ title: `Title ${n + 1}` }));

/** A service that has read everything, an hour after the issues were made, and has looked for changes once. */
async function aWatch(count: number, options: Parameters<typeof aService>[1] = {}) {
  const clock = new Clock();
  const standIn = await aStandIn(many(count), { now: clock.now });
  clock.ms += 3_600_000;
  const service = aService(standIn, { now: clock.now, ...options });
  await service.snapshot("whole");
  await service.snapshot("changes");
  takeLog(standIn);
  return { standIn, service, clock, jo: standIn.person("jo") };
}

const titles = async (service: TicketService) => [...(await service.snapshot("changes")).values()].map(({ title }) => title);

describe("a quiet repository", () => {
  it("costs nothing to watch", async () => {
    const { standIn, service } = await aWatch(100);
    const before = await service.snapshot("changes");
    for (let n = 0; n < 5; n += 1) expect(await service.snapshot("changes")).toEqual(before);
    const log = takeLog(standIn);
    expect(log.map(({ status, counted }) => [status, counted])).toEqual(Array.from({ length: 12 }, () => [304, 0]));
  });

  it("costs nothing either after the batch was read whole once more", async () => {
    const { standIn, service } = await aWatch(3);
    await service.snapshot("whole");
    takeLog(standIn);
    await service.snapshot("changes");
    expect(takeLog(standIn).map(({ status }) => status)).toEqual([304, 304]);
  });
});

describe("a change", () => {
  it("takes one query for all that changed", async () => {
    const { standIn, service, jo } = await aWatch(100);
    jo.retitle("acme/app", 3, "Another");
    jo.close("acme/app", 5);
    const tickets = await service.snapshot("changes");
    expect(tickets.get(ticket("app-3"))?.title).toBe("Another");
    expect(tickets.get(ticket("app-5"))?.state).toEqual({ as: "done" });
    expect(tickets.size).toBe(100);
    const log = takeLog(standIn);
    expect(log.map(({ path, counted }) => `${path} ${counted}`)).toEqual(["/repos/acme/app/issues 1", "/graphql 1"]);
  });

  it("is not lost if a request fails after it was listed", async () => {
    const { standIn, service, jo } = await aWatch(2);
    jo.close("acme/app", 1);
    standIn.fault = ({ path }) => (path === "/graphql" ? { status: 400, body: { message: "no" } } : undefined);
    await expect(service.snapshot("changes")).rejects.toThrow(/\(400\)/);
    standIn.fault = () => undefined;
    expect((await service.snapshot("changes")).get(ticket("app-1"))?.state).toEqual({ as: "done" });
  });

  it.each(["/graphql", "/repos/acme/app/issues/comments"])("of a comment is not lost if a request fails: %s", async (failing) => {
    const { standIn, service, jo } = await aWatch(2);
    const { id } = jo.comment("acme/app", 1, "Before.");
    for (let n = 0; n < 3; n += 1) await service.snapshot("changes");
    jo.editComment("acme/app", 1, id, { body: "After." });
    standIn.fault = ({ path }) => (path === failing ? { status: 400, body: { message: "no" } } : undefined);
    for (let n = 0; n < 3; n += 1) await service.snapshot("changes").catch(() => undefined);
    standIn.fault = () => undefined;
    await service.snapshot("changes");
    expect((await service.snapshot("changes")).get(ticket("app-1"))?.body).toContain("After.");
  });

  it("is not lost if a list comes back empty", async () => {
    const { standIn, service, jo } = await aWatch(2);
    jo.close("acme/app", 1);
    standIn.fault = ({ path }) =>
      path === "/repos/acme/app/issues" ? { status: 200, headers: { "content-type": "application/json" } } : undefined;
    await expect(service.snapshot("changes")).rejects.toThrow("its answer is no JSON, or is cut off");
    standIn.fault = () => undefined;
    expect((await service.snapshot("changes")).get(ticket("app-1"))?.state).toEqual({ as: "done" });
  });

  it("is not lost if the list has moved: a redirect is no empty list", async () => {
    const { standIn, service, jo } = await aWatch(2);
    jo.close("acme/app", 1);
    const headers = { location: `${standIn.enterpriseUrl}/repositories/1/issues`, "content-type": "application/json" };
    standIn.fault = ({ path }) => (path.endsWith("/issues") ? { status: 301, headers, body: { message: "Moved" } } : undefined);
    expect((await service.snapshot("changes")).get(ticket("app-1"))?.state).toEqual({ as: "done" });
  });

  it("of an edited comment is seen by the next but one reading, although the issue is as old as before", async () => {
    const { service, jo, standIn } = await aWatch(2);
    jo.label("acme/app", 1, "human-gated");
    const { id } = jo.comment("acme/app", 1, "Human step: press deploy");
    for (let n = 0; n < 3; n += 1) await service.snapshot("changes");
    jo.editComment("acme/app", 1, id, { body: "Human step: press another" });
    takeLog(standIn);
    await service.snapshot("changes");
    expect(requests(standIn)).toEqual(["GET /issues", "GET /issues/comments"]);
    const after = await service.snapshot("changes");
    expect(requests(standIn)).toEqual(["GET /issues", "POST /graphql"]);
    expect(after.get(ticket("app-1"))?.state).toEqual({ as: "human-gated", step: "press another" });
    expect(standIn.state.repos[0]?.issues[0]?.updatedAt).toBeDefined();
  });

  it("within the same second as the one before is seen", async () => {
    const { service, jo } = await aWatch(1);
    for (const title of ["Aa", "Ab", "Ac"]) {
      jo.retitle("acme/app", 1, title);
      expect(await titles(service)).toEqual([title]);
    }
  });

  it("of another issue is not read", async () => {
    const { standIn, service, jo } = await aWatch(1);
    standIn.state.repos[0]?.issues.push({
      ...structuredClone(standIn.state.repos[0].issues[0] as never as object),
      number: 9,
      labels: [],
    } as never);
    jo.retitle("acme/app", 9, "Of no interest");
    expect(await titles(service)).toEqual(["Title 1"]);
    expect(requests(standIn)).toEqual(["GET /issues", "GET /issues/comments"]);
  });

  it("by which an issue comes into the query is seen", async () => {
    const { standIn, service, jo } = await aWatch(1);
    standIn.state.repos[0]?.issues.push({
      ...structuredClone(standIn.state.repos[0].issues[0] as never as object),
      number: 9,
      labels: [],
    } as never);
    jo.label("acme/app", 9, "batch");
    expect([...(await service.snapshot("changes")).keys()]).toEqual(["app-1", "app-9"]);
  });

  it("of an issue outside of the batch frees the ticket that waits for it", async () => {
    const { standIn, service, jo, clock } = await aWatch(1);
    standIn.state.repos[0]?.issues.push({
      ...structuredClone(standIn.state.repos[0].issues[0] as never as object),
      number: 9,
      labels: [],
    } as never);
    jo.block("acme/app", 1, { repo: "acme/app", number: 9 });
    expect((await service.snapshot("changes")).get(ticket("app-1"))?.held).toBe("it waits for app-9, which is not in the batch");
    clock.ms += 3_600_000;
    jo.close("acme/app", 9);
    expect((await service.snapshot("changes")).get(ticket("app-1"))?.held).toBeUndefined();
  });

  it("is never missed when there are many of them, and the list of changes moves on", async () => {
    const { standIn, service, jo, clock } = await aWatch(230);
    for (let round = 0; round < 3; round += 1) {
      clock.ms += 3_600_000;
      for (let number = 1; number <= 230; number += 1) jo.retitle("acme/app", number, `Round ${round}`);
      expect(new Set(await titles(service))).toEqual(new Set([`Round ${round}`]));
      takeLog(standIn);
      await service.snapshot("changes");
    }
    clock.ms += 3_600_000;
    jo.retitle("acme/app", 7, "Last");
    expect(await titles(service)).toContain("Last");
    const sinces = takeLog(standIn).map(({ query }) => new URLSearchParams(query).get("since"));
    expect(sinces.at(-3)).toBe(new Date(clock.ms - 3_900_000).toISOString().replace(".000", ""));
  });

  it("that is a deletion is noticed by the whole reading that comes now and then", async () => {
    const { service, jo } = await aWatch(2);
    jo.remove("acme/app", 1);
    let calls = 0;
    while ((await service.snapshot("changes")).size === 2) calls += 1;
    expect(calls).toBeLessThan(20);
  });
});

describe("more changes than ten pages", () => {
  it("are read whole, so that the oldest is not missed", async () => {
    const { service, jo, clock } = await aWatch(3);
    const { id } = jo.comment("acme/app", 1, "Before.");
    await service.snapshot("changes");
    clock.ms += 3_600_000;
    jo.editComment("acme/app", 1, id, { body: "After." });
    clock.ms += 1000;
    for (let n = 0; n < 1001; n += 1) jo.comment("acme/app", 2, "x");
    await service.snapshot("changes");
    expect((await service.snapshot("changes")).get(ticket("app-1"))?.body).toContain("After.");
  });
});

describe("searches and projects", () => {
  it("are read whole each time", async () => {
    const { standIn, service, jo } = await aWatch(2, { spec: { search: "Title" } });
    jo.retitle("acme/app", 1, "Title of another kind");
    expect(await titles(service)).toContain("Title of another kind");
    expect(requests(standIn)).toEqual(["POST /graphql"]);
  });
});
