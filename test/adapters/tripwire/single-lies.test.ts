import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { judge, type SnapshotTicket, type Verdict } from "../../../oracle/definition.ts";
import { readSnapshot } from "../../../oracle/read.ts";
import { reopenings } from "../../../src/adapters/tripwire/reopenings.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { AskedPlace, FrozenProgram, Judging } from "../../../src/ports/oracle.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { type Proof, proofOf } from "./proof.ts";

const folder = scratchFolder();
const KINDS = ["embedded", "folder"] as const;
const never = () => new AbortController().signal;
const idsOf = (count: number) => Array.from({ length: count }, (_, at) => TicketId.parse(`T-${at + 1}`));
const settle = (snapshot: readonly SnapshotTicket[], id: string) =>
  snapshot.map((ticket) => (ticket.id === id ? { id, state: "done" } : ticket));

type Says = (snapshot: readonly SnapshotTicket[], batch: readonly string[]) => Verdict;

/** Takes a ticket for done as long as no other is open: the one lie about it that ends a run. */
const whereAlone =
  (id: string): Says =>
  (snapshot, batch) => {
    const taken = judge(settle(snapshot, id), batch);
    return taken.verdict === "done" ? taken : judge(snapshot, batch);
  };
/** Takes a ticket for done whatever the others are. */
const always =
  (id: string): Says =>
  (snapshot, batch) =>
    judge(settle(snapshot, id), batch);

/** The oracle's own reading and definition, in this process for the sake of speed, and with a lie; `plain` gives no evidence. */
function lying(says: Says, plain = false): FrozenProgram {
  const judging = (verdict: Verdict): Judging => {
    const counts = verdict.verdict === "unjudged" ? { done: 0, gated: 0, open: 0 } : verdict;
    const open =
      verdict.verdict === "unjudged" || plain ? [] : verdict.evidence.filter((e) => e.state === "open").map((e) => e.id);
    const judgement = {
      verdict: verdict.verdict,
      counts: { done: counts.done, gated: counts.gated, open: counts.open },
      open: open.slice(0, 50) as TicketId[],
      durationMs: 1,
    };
    return { judgement, exitCode: { done: 0, "not-done": 1, unjudged: 2 }[verdict.verdict] };
  };
  return {
    sha: "lying",
    judge: ({ tracker, tickets }) =>
      readSnapshot(tracker as Exclude<typeof tracker, AskedPlace>).then(
        (snapshot) => judging(says(snapshot, tickets)),
        (cause: unknown) => judging({ verdict: "unjudged", problem: String(cause) }),
      ),
  };
}

interface Tried {
  readonly kind: (typeof KINDS)[number];
  readonly count: number;
  readonly says: Says;
  readonly plain?: boolean;
  /** The tickets that are still open; the others are done. */
  readonly open?: readonly string[];
}

async function proofWith({ kind, count, says, plain = false, open = idsOf(count) }: Tried): Promise<Proof> {
  const root = mkdtempSync(join(folder(), "proof-"));
  const proof = await proofOf(root, lying(says, plain), kind, { count, plain });
  for (const id of idsOf(count)) if (!open.includes(id)) await proof.tracker.set(id, { as: "done" }, "");
  return proof;
}

describe.each(KINDS)("%s: an oracle that takes a single ticket for done where no other is open", (kind) => {
  test.each([3, 12])("fails the proof, whichever of %i it is, with evidence and without", { timeout: 120_000 }, async (count) => {
    for (const plain of [false, true]) {
      const honest = await proofWith({ kind, count, says: judge, plain });
      expect(await honest.tripwire().check(never())).toMatchObject({ ok: true, canaries: 18 + count });
      await Promise.all(
        idsOf(count).map(async (id) => {
          const proof = await proofWith({ kind, count, says: whereAlone(id), plain });
          const result = await proof.tripwire().check(never());
          expect(result, id).toMatchObject({
            ok: false,
            problem: expect.stringMatching(/judged done with exit code 0/) as string,
          });
        }),
      );
    }
  });

  test("is not believed in the end, whichever of twelve it is, be the ticket open or not", { timeout: 120_000 }, async () => {
    for (const plain of kind === "embedded" ? [false, true] : [false]) {
      const honest = await proofWith({ kind, count: 12, says: judge, plain, open: [] });
      expect(await honest.oracle.judge()).toMatchObject({ verdict: "done" });
      for (const id of idsOf(12)) {
        for (const open of [[], [id]]) {
          const proof = await proofWith({ kind, count: 12, says: whereAlone(id), plain, open });
          const problem = expect.stringContaining(`in which ${id} is open is judged done`) as string;
          const itself = expect.stringContaining(`in it ${id} is open`) as string;
          expect(await proof.oracle.judge()).toMatchObject({
            verdict: "unjudged",
            problem: open.length === 0 ? problem : itself,
          });
        }
      }
    }
  });

  test("is not believed in the end where that ticket is open, in a batch of any size", { timeout: 120_000 }, async () => {
    const proof = await proofWith({ kind, count: 120, says: whereAlone("T-77"), open: ["T-77"] });
    expect(await proof.oracle.judge()).toMatchObject({
      verdict: "unjudged",
      problem: expect.stringContaining("in it T-77 is open") as string,
    });
  });
});

describe.each(KINDS)("%s: an oracle that takes one of many tickets for done, whatever the others are", (kind) => {
  test("fails the proof and is not believed in the end: its evidence leaves that one out", { timeout: 120_000 }, async () => {
    const proof = await proofWith({ kind, count: 120, says: always("T-77") });
    expect(await proof.tripwire().check(never())).toMatchObject({ ok: false });
    const over = await proofWith({ kind, count: 120, says: always("T-77"), open: [] });
    expect(await over.oracle.judge()).toMatchObject({
      verdict: "unjudged",
      problem: expect.stringMatching(/open is judged not-done \(\d+ done, 0 gated, \d+ open\)/) as string,
    });
  });
});

describe("which tickets are reopened", () => {
  test.each([1, 3, 12])("of %i: each alone", (count) => {
    for (const plain of [false, true]) expect(reopenings(idsOf(count), plain).flat().toSorted()).toEqual(idsOf(count).toSorted());
    expect(reopenings(idsOf(count), false).every((group) => group.length === 1)).toBe(true);
  });

  test.each([13, 100, 300, 5_000])("of %i: each in one of a few groups, in the batch's order", (count) => {
    const groups = reopenings(idsOf(count), false);
    expect(groups.length).toBeLessThanOrEqual(6);
    expect(groups.flat().toSorted()).toEqual(idsOf(count).toSorted());
    for (const group of groups) {
      expect(group.length).toBeGreaterThan(0);
      expect(group).toEqual(idsOf(count).filter((id) => group.includes(id)));
    }
  });

  test("without evidence each is alone, as many as there are up to 24", () => {
    for (const [count, most] of [
      [24, 24],
      [40, 24],
      [5_000, 1],
    ] as const) {
      const groups = reopenings(idsOf(count), true);
      expect(groups.length).toBe(most);
      expect(new Set(groups.flat()).size).toBe(most);
    }
  });
});
