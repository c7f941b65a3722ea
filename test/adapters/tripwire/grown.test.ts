import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { bundleOracle } from "../../helpers/bundle-oracle.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { EDITS, editedOracle } from "./edited-oracle.ts";
import { proofOf } from "./proof.ts";

const folder = scratchFolder();
const never = () => new AbortController().signal;
const ids = ["T-1", "T-2", "T-3"].map((id) => TicketId.parse(id));
const D1 = TicketId.parse("T-2-d1");
const KINDS = ["embedded", "folder", "command"] as const;

/** A run whose own tickets are done, and which has one more that a worker found. */
async function grownProof(bytes: Uint8Array, kind: (typeof KINDS)[number]) {
  const proof = await proofOf(join(folder(), kind), bytes, kind);
  for (const id of ids) await proof.tracker.set(id, { as: "done" }, "");
  return proof;
}

describe.each(KINDS)("a batch that grows under way: %s", (kind) => {
  test("is judged as it is by then, by the oracle and by its copies", async () => {
    const proof = await grownProof(await bundleOracle(), kind);
    expect(await proof.oracle.judge()).toMatchObject({ verdict: "done", counts: { done: 3 } });
    await proof.grow(D1);
    for (const how of [undefined, "background"] as const)
      expect(await proof.oracle.judge(undefined, how)).toMatchObject({ verdict: "not-done", open: [D1] });
    await proof.tracker.set(D1, { as: "done" }, "");
    expect(await proof.oracle.judge()).toMatchObject({ verdict: "done", counts: { done: 4 } });
  });

  test("and one whose ticket is not in the tracker cannot be judged", async () => {
    const proof = await grownProof(await bundleOracle(), kind);
    const grown = { version: 1, tracker: proof.place, tickets: [...ids, D1] } as const;
    const problem = expect.stringContaining("T-2-d1") as string;
    expect(await proof.program.judge(grown)).toMatchObject({ judgement: { verdict: "unjudged", problem }, exitCode: 2 });
  });

  test.each(["ignores what workers found", "ignores late tickets"])(
    "an oracle that %s is caught by the canaries, and not believed of the real tracker",
    { timeout: 120_000 },
    async (name) => {
      const proof = await grownProof(editedOracle(await bundleOracle(), { lies: EDITS[name] as string }), kind);
      const caught = await proof.tripwire().check(never());
      expect(caught).toMatchObject({ ok: false, problem: expect.stringContaining("with exit code 0") as string });
      await proof.grow(D1);
      expect(await proof.program.judge({ version: 1, tracker: proof.place, tickets: [...ids, D1] })).toMatchObject({
        exitCode: 0,
      });
      expect(await proof.oracle.judge()).toMatchObject({
        verdict: "unjudged",
        problem: expect.stringContaining("T-2-d1") as string,
      });
    },
  );
});
