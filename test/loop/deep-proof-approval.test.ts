import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { ADDER, type Files, NODE_TESTS, put, TEST_HEAD } from "./evidence-stage.ts";
import { opened, REVIEW } from "./review-stage.ts";

cleanUp();

/** The rules by which a person was asked last. */
let why: readonly string[] | undefined;

/** What became of tickets whose reviewer passes all that it is asked about: each waits for the one before. */
async function told(changes: readonly Files[], base: Files = ADDER) {
  const ids = changes.map((_, n) => TicketId.parse(`T-${n + 1}`));
  const finish: StepSpec[] = [NODE_TESTS, REVIEW, { step: "merge" }];
  const tickets = ids.map((id, n) => ticketOf(id, { finish, dependsOn: ids.slice(Math.max(0, n - 1), n) }));
  using stage = await opened({
    base,
    stage: {
      tickets,
      proof: "each",
      work: ({ ticket, worktree }) => void put(worktree, changes[ids.indexOf(ticket)] ?? {}),
    },
  });
  stage.start();
  await stage.ended();
  return ids.map((id) => {
    const awaited = stage.of("approval-awaited").findLast(({ ticket }) => ticket === id);
    why = awaited?.why;
    return stage.ticket(id).phase === "done" ? "done" : awaited?.zones;
  });
}

describe("a reviewer that passes a change approves what it was shown", () => {
  test("an edited test that expects what the change does", async () => {
    const change = {
      "add.mjs": "export const add = (a, b) => a + b + 10;\n",
      "test/add.test.mjs": ADDER["test/add.test.mjs"].replace(", 3)", ", 13)").replace(", 12)", ", 22)"),
    };
    expect(await told([change])).toEqual(["done"]);
  });

  test("but not what an earlier ticket did to a file: that waits for a person", async () => {
    const mends = { "test/a.test.mjs": `${TEST_HEAD}globalThis.mended = true;\ntest("is there", () => assert.ok(true));\n` };
    const wrong = { "add.mjs": "export const add = (a, b) => (globalThis.mended ? a + b : a - b);\n" };
    expect(await told([mends, wrong])).toEqual(["done", ["test/a.test.mjs"]]);
  });

  const PLUS = { "add.mjs": "export const add = (a, b) => a + b + 10;\n" };
  const EDITED = ADDER["test/add.test.mjs"].replace(", 3)", ", 13)").replace(", 12)", ", 22)");

  test.each<[what: string, change: Files, base?: Files]>([
    ["is longer than its prompt", { ...PLUS, "test/add.test.mjs": `${EDITED}${"// 0123456789\n".repeat(8_000)}` }],
    [
      "is pushed out by a longer file",
      { ...PLUS, "test/add.test.mjs": `${EDITED}${"// 01234\n".repeat(5_000)}`, "x.txt": "0123456\n".repeat(9_000) },
    ],
    ["is one line that is longer than its prompt", { ...PLUS, "test/add.test.mjs": `${EDITED}//${"0".repeat(90_000)}\n` }],
  ])("but not what %s: that waits for a person", async (_, change, base) => {
    expect(await told([change], base)).toEqual([["test/add.test.mjs"]]);
    expect(why).toEqual([expect.stringMatching(/^it changes what judges it: .*test\/add\.test\.mjs/)]);
  });
});
