import { expect, test } from "vitest";
import { gateLines, killLines } from "../../../components/dialogs/dialog-lines.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { EMPTY_INPUT } from "../../../src/store/text-input.ts";
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
