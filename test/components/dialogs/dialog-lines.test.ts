import { expect, test } from "vitest";
import { approveLines, gateLines, killLines } from "../../../components/dialogs/dialog-lines.ts";
import { Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { EMPTY_INPUT } from "../../../src/store/text-input.ts";
import { LogText } from "../../../src/store/ticket-log/log-text.ts";
import { desk } from "../../store/desk.ts";
import { plumbing } from "../../store/scenes.ts";

const ID = TicketId.parse("T-7");

/** What the two questions about a ticket say, as the run stands. */
function questions(run: ReturnType<typeof plumbing>): { readonly kill: string; readonly gate: string } {
  const state = desk(run).store.getState();
  const text = (lines: ReturnType<typeof killLines>): string =>
    lines.map((line) => line.map((span) => span.text).join("")).join("\n");
  return {
    kill: text(killLines(state, ID, 200)),
    gate: text(gateLines(state, { kind: "gate", ticket: ID, input: EMPTY_INPUT }, 200, 20)),
  };
}

test("questions about a ticket say what they would end, and once it is over that there is nothing to end", () => {
  const run = plumbing();
  const before = questions(run);
  expect(before.kill).toContain("Its agent is ended, and the attempt counts");
  expect(before.gate).toContain("Its agent is ended.");
  expect(before.gate).not.toContain("refused");
  const after = questions(run.ships("T-7", 10));
  expect(after.kill).toContain("there is nothing to end");
  expect(after.kill).not.toContain("counts");
  expect(after.gate).toContain("By now it is done: this will be refused.");
});

test("the question about an approval says why a person is asked, and approves nothing that is not shown whole", () => {
  const commit = "c".repeat(40);
  const T9 = TicketId.parse("T-9");
  const run = plumbing();
  const why = Array.from(
    { length: 6 },
    (_, i) => `it changes the danger zone z${i}/ (BOUND.md:${i + 3}): \u202emoney moves here`,
  );
  run.play({ type: "attempt-claimed", ticket: T9, fence: Fence.parse(90), attempt: 1, slot: 0, reservedUsd: 0 });
  run.play({
    type: "approval-awaited",
    ticket: T9,
    fence: Fence.parse(90),
    commit,
    base: "a".repeat(40),
    change: "d",
    zones: ["z0/"],
    files: 1,
    why,
  });
  const state = desk(run).store.getState();
  const asked = (whole: boolean | undefined, of = commit, most = 30) => {
    const viewed = { key: "", text: new LogText("diff"), file: "there", version: 1 } as const;
    const shown = whole === undefined ? {} : { viewed: { ...viewed, change: { commit: of, whole } } };
    const lines = approveLines({ ...state, ...shown }, { kind: "approve", ticket: T9, commit }, 72, most);
    return lines.map((line) => line.map(({ text }) => text).join("")).join("\n");
  };
  expect(asked(true)).toContain("It is the change of z0/ (1 file), as commit cccccccccccc.");
  for (const i of [0, 5]) expect(asked(true)).toContain(`It needs a person because it changes the danger zone z${i}/`);
  expect(asked(true)).not.toContain("\u202e");
  expect(asked(true, commit, 12)).toMatch(/z1\/[^]*more lines: loopdash bound approve \S+ T-9[^]*y approve/);
  expect(asked(true, commit, 12).split("\n").length).toBeLessThanOrEqual(13);
  for (const text of [asked(undefined), asked(true, "e".repeat(40))]) expect(text).toContain("Not yet: its diff is being read");
  expect(asked(false).replaceAll("\n", " ")).toMatch(
    /Not yet: its diff is not shown whole here: loopdash bound approve \S+ T-9 shows all of it/,
  );
});
