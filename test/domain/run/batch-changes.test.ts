import { describe, expect, it } from "vitest";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import type { Contract, StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { compareBatch, isLoosening } from "../../../src/domain/run/batch-changes.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { plannedTicket } from "../../../src/domain/schedule/plan.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const check: StepSpec = { step: "check", name: "tests", command: ["true"] };
const finish: readonly StepSpec[] = [{ step: "gates" }, { step: "merge" }, { step: "assert" }];
const batch: Batch = { ...batchOf([ticketOf("T-1", { finish }), ticketOf("T-2", { finish })]), finish, protect: ["a", "b"] };

const changes = (now: Partial<Batch>, sim = new Simulation(batch)) => compareBatch(sim.state, { ...batch, ...now });
const bounds = (now: Partial<Batch>) => changes(now).bounds.map(({ what, class: of }) => [what, of]);
const withLine = (line: readonly StepSpec[]): Partial<Batch> => ({
  finish: line,
  tickets: batch.tickets.map((ticket) => ({ ...ticket, finish: line })),
});

describe("compareBatch", () => {
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
    const [change] = compareBatch(sim.state, { ...batch, ...line(env) }).bounds;
    expect(change).toMatchObject({ class: "I8" });
    const [name = "", repo] = Object.entries(batch.repos)[0] ?? [];
    const prepare = [{ command: ["/batch/fetch.sh"], env }];
    const repos = { ...batch.repos, ...(repo && { [name]: { ...repo, prepare } }) };
    expect(changes({ repos }).impossible).toEqual([expect.stringMatching(/^repos\./)]);
    const before = { ...batch, repos };
    const other = { ...repos, ...(repo && { [name]: { ...repo, prepare: [{ command: ["/batch/fetch.sh"], env: {} }] } }) };
    expect(compareBatch(new Simulation(before).state, { ...before, repos: other }).impossible).toEqual([
      expect.stringMatching(/prepare/),
    ]);
    const reviewer = {
      ...{ kind: "command" as const, command: ["/batch/rule.sh"], blocking: "high" as const },
      ...{ allowSameVendor: false, canaryEvery: 0 },
    };
    const ruled = { ...batch, reviewer };
    const now = { ...ruled, reviewer: { ...reviewer, env } };
    expect(compareBatch(new Simulation(ruled).state, now).impossible).toEqual([expect.stringMatching(/^reviewer/)]);
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

describe("the contract of a ticket", () => {
  const contract: Contract = {
    path: "c.md",
    sha: "1",
    body: "words",
    stopWhen: { attempts: 2 },
    safety: { protect: ["a"], only: ["src/**", "lib/**"], files: 5, rules: ["be kind"] },
    phases: [{ name: "one", criteria: ["x"] }],
  };
  const under = (of: Contract | undefined): Batch => ({
    ...batch,
    tickets: batch.tickets.map((ticket) => (ticket.id === T1 ? { ...ticket, contract: of } : ticket)),
  });
  const from = (before: Contract | undefined, after: Contract | undefined) =>
    compareBatch(new Simulation(under(before)).state, under(after));
  const with_ = (over: Partial<Contract>) => ({ ...contract, ...over });
  const safe = (over: object) => with_({ safety: { ...contract.safety, ...over } });

  it.each([
    ["is new", undefined, contract],
    ["stops earlier", contract, with_({ stopWhen: { attempts: 1 } })],
    ["stops for more", contract, with_({ stopWhen: { attempts: 2, minutes: 5 } })],
    ["protects more", contract, safe({ protect: ["a", "b"] })],
    ["leaves less open", contract, safe({ only: ["lib/**"] })],
    ["allows fewer files", contract, safe({ files: 4 })],
  ])("is taken, and counted as I2, if it %s", (_, before, after) => {
    const { bounds: found, impossible, parts } = from(before, after);
    expect(found).toMatchObject([{ class: "I2", target: "finish", what: expect.stringMatching(/^contract of T-1: /) as string }]);
    expect({ impossible, parts }).toEqual({ impossible: [], parts: { contracts: { "T-1": after } } });
  });

  it.each([
    ["is gone", undefined],
    ["stops later", with_({ stopWhen: { attempts: 3 } })],
    ["stops no more", with_({ stopWhen: undefined })],
    ["protects less", safe({ protect: [] })],
    ["leaves more open", safe({ only: ["src/**", "lib/**", "x"] })],
    ["leaves all open", safe({ only: undefined })],
    ["allows more files", safe({ files: 6 })],
    ["allows any number of files", safe({ files: undefined })],
    ["has other rules", safe({ rules: ["be quick"] })],
    ["has another text", with_({ body: "others" })],
    ["has other phases", with_({ phases: [{ name: "one", criteria: ["y"] }] })],
  ])("needs a flag, and is counted as I8, if it %s", (_, after) => {
    const { bounds: found, parts } = from(contract, after);
    expect(found).toMatchObject([{ class: "I8" }]);
    expect(parts).toEqual({ contracts: { "T-1": after ?? null } });
  });

  it("is the same at another place and with another layout", () => {
    expect(from(contract, with_({ path: "d.md", sha: "2" }))).toMatchObject({ bounds: [], parts: {}, impossible: [] });
  });

  it("is that of the file once a person has changed the batch", () => {
    const sim = new Simulation(under(contract));
    const after = with_({ stopWhen: { attempts: 1 } });
    const frozen = { oracle: "o", batch: "b", limits: "l", guard: "g", sandbox: "s", tripwire: "t" };
    const fact = { type: "batch-changed", contracts: { [T1]: after }, frozen: { before: frozen, after: frozen } } as const;
    const state = reduce(sim.state, { ...fact, seq: sim.state.seq + 1, at: sim.state.lastEventAt });
    expect(plannedTicket(state.plan, T1).contract).toEqual(after);
    expect(state.batch.tickets.map((ticket) => ticket.contract)).toEqual([after, undefined]);
  });
});
