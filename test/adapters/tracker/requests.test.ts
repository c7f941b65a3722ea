import { describe, expect, test } from "vitest";
import { freezeProgram } from "../../../src/adapters/oracle/frozen-oracle.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { bundleOracle } from "../../helpers/bundle-oracle.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { inLinear, type ManyTickets, onGitHub } from "../../stand-ins/many-tickets.ts";

const MINUTE_MS = 60_000;

/** The number of requests of each reading, one a minute, after a first one. */
async function readings(
  tickets: ManyTickets,
  acts: readonly (() => void)[],
  how: "whole" | "changes",
): Promise<readonly number[]> {
  const service = tickets.service();
  // The first reading also asks who it is, and for tickets that agents found earlier. The first one of changes asks for no ETag.
  await service.snapshot("whole");
  await service.snapshot("changes");
  const counts: number[] = [];
  for (const act of acts) {
    tickets.clock.now += MINUTE_MS;
    act();
    tickets.asked();
    const found = await service.snapshot(how);
    expect(found.size).toBe(100);
    counts.push(tickets.asked().length);
  }
  return counts;
}

const nothing = (): void => undefined;

describe("a reading of 100 tickets", () => {
  test("takes one request to Linear, whether a ticket has changed or not", async () => {
    await using tickets = await inLinear(100);
    const rename = () => tickets.retitle(7, "Do it otherwise");
    const several = () => [1, 2, 3].forEach((number) => void tickets.comment(number, "More."));
    expect(await readings(tickets, [nothing, rename, several, nothing], "changes")).toEqual([1, 1, 1, 1]);
  });

  test("takes two requests to GitHub, whether a ticket has changed or not", async () => {
    await using tickets = await onGitHub(100);
    const rename = () => tickets.retitle(7, "Do it otherwise");
    const several = () => [1, 2, 3].forEach((number) => void tickets.comment(number, "More."));
    expect(await readings(tickets, [nothing, rename, several, nothing], "changes")).toEqual([2, 2, 2, 2]);
  });

  test.each([
    ["Linear", inLinear],
    ["GitHub", onGitHub],
  ] as const)("takes one request to %s if everything is read anew", async (_name, open) => {
    await using tickets = await open(100);
    expect(await readings(tickets, [nothing, () => tickets.retitle(7, "Do it otherwise")], "whole")).toEqual([1, 1]);
  });

  test("takes nothing of GitHub's budget while nothing changes", async () => {
    await using tickets = await onGitHub(100);
    const service = tickets.service();
    await service.snapshot("whole");
    await service.snapshot("changes");
    const before = tickets.shares();
    for (let reading = 0; reading < 10; reading += 1) await service.snapshot("changes");
    expect(tickets.shares()).toEqual(before);
    expect(tickets.asked().slice(-2)).toEqual(["GET /repos/acme/app/issues 304", "GET /repos/acme/app/issues/comments 304"]);
  });
});

describe("a judgement of the oracle", () => {
  const folder = scratchFolder();

  test("takes one request for 250 tickets in Linear", async () => {
    await using tickets = await inLinear(250);
    const service = tickets.service();
    const ids = [...(await service.snapshot("whole")).keys()].map((id) => TicketId.parse(id));
    const { url, authorization } = tickets.api;
    const program = freezeProgram({
      bytes: await bundleOracle(),
      scratch: folder(),
      service: {
        access: { url, authorization: async () => authorization },
        openStandIn: () => Promise.reject(new Error("no canary here")),
        withoutNetwork: [],
      },
    });
    const keys = Object.fromEntries(service.keys?.() ?? []);
    tickets.asked();
    const { judgement } = await program.judge({
      version: 1,
      tracker: { kind: "linear", canceled: "open", keys, repos: {} },
      tickets: ids,
    });
    expect(judgement).toMatchObject({ verdict: "not-done", counts: { open: 250 } });
    expect(tickets.asked()).toEqual(["LoopdashOracle"]);
  });
});
