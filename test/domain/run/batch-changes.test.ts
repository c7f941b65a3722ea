import { describe, expect, it } from "vitest";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { batchChangesOf, isLoosening } from "../../../src/domain/run/batch-changes.ts";
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
    expect(changes(now as Partial<Batch>).bounds.some(isLoosening)).toBe(of !== "I2");
    expect(changes(now as Partial<Batch>).impossible).toEqual([]);
  });

  it("takes another variable of a verify for a waiver, and one of prepare or a reviewer for nothing that a run can change", () => {
    const verify = (env?: Record<string, string>): StepSpec => ({
      ...{ step: "verify", name: "live", command: ["/batch/v.sh"] },
      ...(env && { env }),
    });
    const line = (env?: Record<string, string>) => withLine([...finish.slice(0, 2), verify(env), { step: "assert" }]);
    const env = { TOKEN: "{secret:a}" };
    const sim = new Simulation({ ...batch, ...line() });
    const [change] = batchChangesOf(sim.state, { ...batch, ...line(env) }).bounds;
    expect(change).toMatchObject({ class: "I8" });
    const [name = "", repo] = Object.entries(batch.repos)[0] ?? [];
    const prepare = [{ command: ["/batch/fetch.sh"], env }];
    const repos = { ...batch.repos, ...(repo && { [name]: { ...repo, prepare } }) };
    expect(changes({ repos }).impossible).toEqual([expect.stringMatching(/^repos\./)]);
    const before = { ...batch, repos };
    const other = { ...repos, ...(repo && { [name]: { ...repo, prepare: [{ command: ["/batch/fetch.sh"], env: {} }] } }) };
    expect(batchChangesOf(new Simulation(before).state, { ...before, repos: other }).impossible).toEqual([
      expect.stringMatching(/prepare/),
    ]);
    const reviewer = {
      ...{ kind: "command" as const, command: ["/batch/rule.sh"], blocking: "high" as const },
      ...{ allowSameVendor: false, canaryEvery: 0 },
    };
    const ruled = { ...batch, reviewer };
    const now = { ...ruled, reviewer: { ...reviewer, env } };
    expect(batchChangesOf(new Simulation(ruled).state, now).impossible).toEqual([expect.stringMatching(/^reviewer/)]);
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
