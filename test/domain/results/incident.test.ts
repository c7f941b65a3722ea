import { describe, expect, it } from "vitest";
import {
  distinctIncidents,
  endIncident,
  endTicketIncidents,
  type Incident,
  withIncident,
} from "../../../src/domain/results/incident.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const ticket = TicketId.parse("T-1");
const reopened: Incident = { kind: "reopened", at: 10, ticket, summary: "it is gone from the base" };

describe("the incidents of a run", () => {
  it("counts the same incident once while it lasts", () => {
    const once = withIncident([], reopened);
    expect(withIncident(once, { ...reopened, at: 20 })).toEqual(once);
    expect(withIncident(once, { ...reopened, kind: "live-check" })).toHaveLength(2);
  });

  it("counts it again after its end", () => {
    const ended = endIncident(withIncident([], reopened), { kind: "reopened", ticket }, 15);
    expect(ended).toEqual([{ ...reopened, endedAt: 15 }]);
    expect(withIncident(ended, { ...reopened, at: 20 })).toEqual([...ended, { ...reopened, at: 20 }]);
  });

  it("ends only what lasts, by kind, ticket and repository", () => {
    const list = withIncident([], reopened);
    expect(endIncident(list, { kind: "live-check", ticket }, 15)).toBe(list);
    expect(endIncident(list, { kind: "reopened", ticket: TicketId.parse("T-2") }, 15)).toBe(list);
  });
});

describe("a live check that fails and the base that it breaks", () => {
  const check: Incident = { kind: "live-check", at: 10, ticket, summary: "it answers 502" };
  const base: Incident = {
    kind: "broken-base",
    at: 10,
    repo: RepoId.parse("app"),
    cause: "verify",
    summary: "T-1: it answers 502",
  };

  it("are one incident", () => {
    expect(distinctIncidents([check, base])).toEqual([check]);
  });

  it("are two beside a base that a check of its own found broken, and one without the other stays", () => {
    const own: Incident = { ...base, cause: "check" };
    expect(distinctIncidents([check, own])).toEqual([check, own]);
    expect(distinctIncidents([{ ...check, at: 5 }, base])).toHaveLength(2);
    expect(distinctIncidents([base])).toEqual([base]);
  });
});

describe("an incident that a person ended", () => {
  it("says so, because no check has passed", () => {
    const [ended] = endTicketIncidents(withIncident([], reopened), ticket, 15, "left to a person");
    expect(ended).toMatchObject({
      endedAt: 15,
      endedBy: "left to a person",
      summary: "it is gone from the base; left to a person",
    });
  });

  const other = TicketId.parse("T-2");

  /** A run that found two changes on its base which are not live. */
  function twoNotLive(): Simulation {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    const [started] = sim.events;
    if (started?.type !== "run-started") throw new Error("the first event is not the start");
    const carriedOver = [ticket, other].map((id, i) => {
      const [from, sha] = [`base-${i}`, `sha-${id}`];
      return { id, tip: sha, baseSha: from, landed: { from, to: sha }, live: { ...NOT_LIVE, sha, from, landedAt: i } };
    });
    sim.state = reduce(undefined, { ...started, carriedOver });
    for (const id of [ticket, other]) {
      sim.report({ type: "live-check-started", ticket: id, why: "due" });
      sim.report({ type: "live-check-ended", ticket: id, ok: false, summary: `${id} is down`, detail: "" });
    }
    return sim;
  }

  const NOT_LIVE = {
    attempt: 1,
    claimed: false,
    check: "live",
    detail: "",
    failed: 1,
    inconclusive: 0,
    reopened: 0,
    history: [],
  };

  function gate(sim: Simulation, id: TicketId): RunState {
    sim.report({ type: "gate-requested", ticket: id, step: "look" });
    sim.report({ type: "ticket-gated", ticket: id, step: "look" });
    return sim.state;
  }

  it("of a broken base names the next suspect, and then the person", () => {
    const sim = twoNotLive();
    const repo = RepoId.parse(sim.state.plan.tickets[0]?.repo ?? "");
    const next = gate(sim, ticket);
    expect(next.brokenBases[repo]).toMatchObject({ ticket: other });
    const lasting = next.incidents.find(({ kind }) => kind === "broken-base");
    expect(lasting?.summary).toMatch(/^sha-T-1 of T-1: .*; then sha-T-2 of T-2: /);
    expect(lasting?.endedAt).toBeUndefined();
    const last = gate(sim, other).incidents.find(({ kind }) => kind === "broken-base");
    expect(last).toMatchObject({ endedBy: "T-2 was left to a person" });
  });
});
