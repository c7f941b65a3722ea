import { describe, expect, it } from "vitest";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import type { BaseProof } from "../../../src/domain/run/proof-fact.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { areLast, describeUnproven, dueProofs, unprovenCommits } from "../../../src/domain/schedule/proofs.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { vecAt, vecWith } from "../../../src/domain/values/vec.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const APP = RepoId.parse("app");
const CHECK = { step: "check", name: "tests", command: ["true"] } as const;

interface Landed {
  /** The number of landed commits: c1, c2 and so on. */
  readonly landed: number;
  readonly proof?: BaseProof;
  readonly batch?: Partial<Batch>;
  readonly isChecked?: boolean;
  /** True if another ticket of the repository is at work. */
  readonly isBusy?: boolean;
}

/** A run in which commits have landed. */
function aRun({ landed, proof, batch = {}, isChecked = true, isBusy = false }: Landed): RunState {
  const finish = isChecked ? [CHECK, { step: "merge" as const }] : [{ step: "merge" as const }];
  const tickets = [ticketOf("T-1", { finish }), ticketOf("T-2", { finish })];
  const sim = new Simulation({ ...batchOf(tickets), ...batch });
  if (isBusy) sim.decide();
  const commits = Array.from({ length: landed }, (_, i) => ({ sha: `c${i + 1}`, ticket: TicketId.parse("T-1") }));
  const landings = { app: { first: "c0", initial: "c0", trusted: [], last: `c${landed}`, commits } };
  return { ...sim.state, landings, proofs: proof === undefined ? {} : { app: proof } };
}

const shas = (state: RunState) => unprovenCommits(state, APP).map(({ sha }) => sha);

describe("unprovenCommits", () => {
  it("gives what has landed since the last commit that was proven", () => {
    expect(shas(aRun({ landed: 3 }))).toEqual(["c1", "c2", "c3"]);
    expect(shas(aRun({ landed: 3, proof: { proven: "c2" } }))).toEqual(["c3"]);
    expect(shas(aRun({ landed: 3, proof: { proven: "c3" } }))).toEqual([]);
  });

  it("gives all that is known if the proven commit is not among it", () => {
    expect(shas(aRun({ landed: 2, proof: { proven: "long ago" } }))).toEqual(["c1", "c2"]);
  });

  it("gives none if no ticket has a check, or if each change was proven before it landed", () => {
    expect(shas(aRun({ landed: 2, isChecked: false }))).toEqual([]);
    expect(shas(aRun({ landed: 2, batch: { proof: "each" } }))).toEqual([]);
  });
});

describe("dueProofs", () => {
  const due = (run: Landed, isLast = false) => dueProofs(aRun(run), { isLast });

  it("waits for the end of the run while few changes have landed", () => {
    expect(due({ landed: 7 })).toEqual([]);
    expect(due({ landed: 7 }, true)).toEqual([APP]);
  });

  it("proves eight changes while nothing works on the repository, and 32 however busy it is", () => {
    expect(due({ landed: 8 })).toEqual([APP]);
    expect(due({ landed: 8, isBusy: true })).toEqual([]);
    expect(due({ landed: 31, isBusy: true })).toEqual([]);
    expect(due({ landed: 32, isBusy: true })).toEqual([APP]);
  });

  it("proves no tree twice: neither one under proof, nor one whose proof has failed", () => {
    expect(due({ landed: 1, proof: { running: { since: 0, sha: "c1", tickets: [] } } }, true)).toEqual([]);
    expect(due({ landed: 1, proof: { failed: { at: 0, sha: "c1", summary: "" } } }, true)).toEqual([]);
    expect(due({ landed: 2, proof: { failed: { at: 0, sha: "c1", summary: "" } } }, true)).toEqual([APP]);
  });

  it("leaves a broken base to what the batch says, unless other changes land there all the same", () => {
    const failing = { since: 0, sha: "c1", foundBy: TicketId.parse("T-1"), step: 0, name: "tests", summary: "" };
    const broken = (batch: Partial<Batch>) => ({ ...aRun({ landed: 1, batch }), failingChecks: { app: failing } });
    expect(dueProofs(broken({}), { isLast: true })).toEqual([]);
    expect(dueProofs(broken({ onBroken: "continue" }), { isLast: true })).toEqual([APP]);
  });
});

describe("describeUnproven", () => {
  it("says why a run cannot be done, and nothing once all is proven", () => {
    expect(describeUnproven(aRun({ landed: 1 }))).toBe("what landed on the base of app is not proven: its proof has not run");
    const failed = { at: 0, sha: "c1", summary: "the check tests is not proven with c1 of T-1" };
    expect(describeUnproven(aRun({ landed: 1, proof: { failed } }))).toBe(
      `what landed on the base of app is not proven: ${failed.summary}`,
    );
    expect(describeUnproven(aRun({ landed: 1, proof: { proven: "c1" } }))).toBeUndefined();
  });
});

describe("areLast", () => {
  const run = (landed: number, isBusy = false) => aRun({ landed, isBusy });
  const [t1, t2] = ["T-1", "T-2"];

  it("is so for all tickets of the repository, and for those of another one", () => {
    expect(areLast(run(0), APP, [t1, t2])).toBe(true);
    expect(areLast(run(0), RepoId.parse("other"), [])).toBe(true);
  });

  it("is not so while another ticket waits or is at work, though an earlier change of it has landed", () => {
    expect(areLast(run(0), APP, [t1])).toBe(false);
    expect(areLast(run(1), APP, [t2])).toBe(false);
    expect(areLast(run(1, true), APP, [t2])).toBe(false);
  });

  it("is so once the change of the other has landed, and once it is settled", () => {
    for (const [phase, landed] of [
      ["finishing", 1],
      ["landed", 1],
      ["done", 1],
      ["human-gated", 0],
      ["stalled", 0],
    ] as const) {
      const state = run(landed);
      const tickets = vecWith(state.tickets, 0, { ...vecAt(state.tickets, 0), phase });
      expect(areLast({ ...state, tickets }, APP, [t2]), phase).toBe(true);
    }
  });
});
