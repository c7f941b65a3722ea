import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { freezeProgram } from "../../../src/adapters/oracle/frozen-oracle.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { FrozenProgram } from "../../../src/ports/oracle.ts";
import { bundleOracle } from "../../helpers/bundle-oracle.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { editedOracle } from "./edited-oracle.ts";
import { type Proof, proofOf } from "./proof.ts";

const folder = scratchFolder();
const ids = ["T-1", "T-2", "T-3"].map((id) => TicketId.parse(id));
const kinds = ["embedded", "folder"] as const;

async function proofWith(lies: string | undefined, kind: (typeof kinds)[number], settled: number): Promise<Proof> {
  const shipped = await bundleOracle();
  const bytes = lies === undefined ? shipped : editedOracle(shipped, { lies });
  const proof = await proofOf(join(folder(), kind), bytes, kind);
  for (const id of ids.slice(0, settled))
    await proof.tracker.set(id, id === "T-2" ? { as: "human-gated", step: "press it" } : { as: "done" }, "");
  return proof;
}

describe("a verdict that would end the run as done", () => {
  test.each(kinds)("of the oracle that ships is borne out by its copies: %s", async (kind) => {
    const proof = await proofWith(undefined, kind, 3);
    const done = { verdict: "done", counts: { done: 2, gated: 1, open: 0 }, open: [] };
    expect(await proof.oracle.judge()).toMatchObject(done);
    expect(await proof.oracle.judge(undefined, "background")).toMatchObject(done);
    expect(readdirSync(join(proof.run, ".."))).toEqual(["test-20260504-a3f9"]);
  });

  const open = `snapshot?.some((t) => batch.includes(t.id) && t.state === "human-gated" && !t.step)`;
  test.each([
    ["knows the run's own tracker by its path", (proof: Proof) => `return place === ${JSON.stringify(pathOf(proof))};`],
    ["lies by the clock", () => `return Date.now() > ${Date.now()};`],
    ["lies where nothing lowers its priority", () => `return os.getPriority() <= os.getPriority(process.ppid) && ${open};`],
    ["knows the old by when it was last changed", () => `const s = fs.statSync(place); return Date.now() - s.ctimeMs > 1000;`],
  ])("of an oracle that %s is not believed", { timeout: 60_000 }, async (_, liesOf) => {
    for (const kind of kinds) {
      const honest = await proofWith(undefined, kind, 2);
      const lying = await proofWith(liesOf(honest), kind, 2);
      leaveStepOut(lying);
      await pause(1_100);
      expect(await lying.program.judge({ version: 1, tracker: lying.place, tickets: ids })).toMatchObject({
        judgement: { verdict: "done" },
      });
      expect(await lying.oracle.judge()).toMatchObject({
        verdict: "unjudged",
        counts: { done: 0, gated: 0, open: 0 },
        problem: expect.stringMatching(/an exact copy of it not-done|in which T-\d is open is judged /) as string,
      });
    }
  });

  test.each(kinds)("says what the oracle says where it is not done, or cannot be judged: %s", async (kind) => {
    const proof = await proofWith(undefined, kind, 2);
    expect(await proof.oracle.judge()).toMatchObject({ verdict: "not-done", open: ["T-3"] });
    writeFileSync(kind === "embedded" ? pathOf(proof) : join(pathOf(proof), "T-1.md"), "---\n");
    const problem = expect.stringMatching(/not JSON|not closed/) as string;
    expect(await proof.oracle.judge()).toMatchObject({ verdict: "unjudged", problem });
  });

  test("over a tracker that keeps changing is not believed", async () => {
    const bytes = editedOracle(await bundleOracle(), { lies: "return true;" });
    const lying = freezeProgram({ bytes, scratch: folder() });
    let judgings = 0;
    const program: FrozenProgram = {
      ...lying,
      async judge(...asked) {
        judgings += 1;
        await proof.tracker.set(ids[0] as TicketId, { as: judgings % 2 === 1 ? "done" : "open" }, "");
        return lying.judge(...asked);
      },
    };
    const proof = await proofOf(join(folder(), "changing"), program, "embedded");
    const judged = await proof.oracle.judge();
    expect(judged).toMatchObject({ verdict: "unjudged", problem: "the tracker kept changing while it was judged" });
    expect(judgings).toBe(3);
  });

  test("over a tracker that cannot be copied is not believed", async () => {
    const lying = await proofWith(`return true;`, "folder", 3);
    const gone = { ...lying.place, folder: join(folder(), "nowhere") };
    const { createCrossCheckedOracle } = await import("../../../src/adapters/tripwire/cross-checked-oracle.ts");
    const hides = {
      make: () => Promise.reject(new Error("no")),
      remove: () => Promise.resolve(),
      sweep: () => Promise.resolve(),
    };
    const oracle = createCrossCheckedOracle({
      program: lying.program,
      batch: () => ({ version: 1, tracker: gone, tickets: ids }) as never,
      plain: false,
      hides,
    });
    const problem = expect.stringContaining("could not be copied") as string;
    expect(await oracle.judge()).toMatchObject({ verdict: "unjudged", problem });
    const full = createCrossCheckedOracle({
      program: lying.program,
      batch: () => ({ version: 1, tracker: lying.place, tickets: ids }),
      plain: false,
      hides,
    });
    expect(await full.judge()).toMatchObject({ verdict: "unjudged", problem: "the judgement could not be borne out: no" });
  });
});

/** T-3 is gated without a step, which counts as open and cannot be seen but by judging. */
function leaveStepOut(proof: Proof): void {
  const file = proof.place.kind === "embedded" ? proof.place.file : join(pathOf(proof), "T-3.md");
  const from = proof.place.kind === "embedded" ? '"state":"open"' : "state: open";
  writeFileSync(file, readFileSync(file, "utf8").replace(from, from.replace("open", "human-gated")));
}

function pathOf({ place }: Proof): string {
  if ("keys" in place) throw new TypeError("a service has no path");
  return place.kind === "embedded" ? place.file : place.folder;
}
