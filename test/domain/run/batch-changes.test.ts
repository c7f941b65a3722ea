import { describe, expect, it } from "vitest";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { batchChangesOf, loosens } from "../../../src/domain/run/batch-changes.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const check: StepSpec = { step: "check", name: "tests", command: ["true"] };
const finish: readonly StepSpec[] = [{ step: "gates" }, { step: "merge" }, { step: "assert" }];
const batch: Batch = { ...batchOf([ticketOf("T-1", { finish }), ticketOf("T-2", { finish })]), finish, protect: ["a", "b"] };

const changes = (now: Partial<Batch>, sim = new Simulation(batch)) => batchChangesOf(sim.state, { ...batch, ...now });
const bounds = (now: Partial<Batch>) => changes(now).bounds.map(({ what, class: of }) => [what, of]);
const withLine = (line: readonly StepSpec[]): Partial<Batch> => ({
  finish: line,
  tickets: batch.tickets.map((ticket) => ({ ...ticket, finish: line })),
});

describe("batchChangesOf", () => {
  it("finds nothing in the same batch, also after tickets were found and added", () => {
    const sim = new Simulation(batch);
    sim.command({ type: "add", ticket: { id: "N-1", title: "New" } });
    expect(changes({}, sim)).toEqual({ impossible: [], bounds: [], parts: {}, added: [], workers: undefined });
    const own = sim.state.plan.tickets.slice(2).map(({ added: _, ...ticket }) => ticket);
    expect(changes({ tickets: [...batch.tickets, ...own] }, sim)).toMatchObject({ impossible: [], added: [] });
  });

  it.each([
    [{ limits: { ...batch.limits, attempts: 20 } }, `limits.attempts: ${batch.limits.attempts} → 20`, "I6"],
    [{ limits: { ...batch.limits, usdPerRun: 0 } }, `limits.usdPerRun: ${batch.limits.usdPerRun} → 0`, "I2"],
    [{ limits: { ...batch.limits, countOtherSessions: true } }, "limits.countOtherSessions", "I2"],
    [{ protect: ["a"] }, "protect: without b", "I8"],
    [{ protect: ["a", "b", "c"] }, "protect: with c", "I2"],
    [withLine([{ step: "gates" }, check, { step: "merge" }, { step: "assert" }]), "finish of T-1: gates merge", "I2"],
    [withLine([{ step: "merge" }, { step: "assert" }]), "finish of T-1: gates merge assert → merge assert", "I8"],
    [{ finish: [{ step: "merge" as const }, { step: "assert" as const }] }, "finish: gates merge assert → merge assert", "I8"],
  ])("says of a bound whether it loosens: %j", (now, what, of) => {
    const [first] = bounds(now as Partial<Batch>);
    expect(first?.[0]).toContain(what);
    expect(first?.[1]).toBe(of);
    expect(changes(now as Partial<Batch>).bounds.some(loosens)).toBe(of !== "I2");
    expect(changes(now as Partial<Batch>).impossible).toEqual([]);
  });

  it("puts new tickets behind those that they wait for", () => {
    const dep = TicketId.parse("N-2");
    const tickets = [...batch.tickets, ticketOf("N-1", { dependsOn: [dep, T1] }), ticketOf("N-2")];
    expect(changes({ tickets }).added.map(({ id }) => id)).toEqual(["N-2", "N-1"]);
  });

  it("takes no ticket out, changes none, and none of what decides who works and who judges", () => {
    expect(changes({ tickets: batch.tickets.slice(1) }).impossible).toEqual(["tickets.T-1"]);
    const [first, ...rest] = batch.tickets;
    const other = { ...(first ?? ticketOf("T-1")), body: "another" };
    expect(changes({ tickets: [other, ...rest] }).impossible).toEqual(["tickets.T-1.body"]);
    expect(changes({ sandbox: "off", agent: { kind: "command", command: ["x"] } }).impossible.length).toBeGreaterThan(0);
  });

  it("gives the number of workers, which is no bound", () => {
    const now = { limits: { ...batch.limits, workers: batch.limits.workers + 1 } };
    expect(changes(now)).toMatchObject({ bounds: [], workers: batch.limits.workers + 1 });
  });
});
