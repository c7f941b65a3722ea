import { expect, test } from "vitest";
import { terminals } from "./pty.ts";
import { HONEST, Stage } from "./stage.ts";

const open = terminals();
const BOUND = "## DANGER ZONES\n- `pay/`: money\n";

test("Y on a real terminal approves the change of a zone after a question, and it lands", { timeout: 300_000 }, async () => {
  using stage = new Stage();
  stage.repo("app", { "BOUND.md": BOUND, "pay/amount.txt": "1\n" });
  stage.agent(`if (ticket === "T-1") fs.writeFileSync("pay/amount.txt", "2\\n"); ${HONEST}`);
  const pty = open(stage, [stage.batch(["T-1", "T-2"])], { columns: 160, rows: 40 });
  // It can be approved once its attempt has ended.
  await pty.waitFor(/NEEDS YOU 1[^]*! T-1 +approve the change of pay\/ \(1 file\)/);
  await pty.press("n", "Y approve");
  await pty.press("Y", "Approve the change of T-1?");
  await pty.press("n", (screen) => !screen.includes("Approve the change of T-1?"));
  expect(stage.landed()).not.toContain("T-1");
  await pty.press("Y", /It is the change of pay\/ \(1 file\), as commit [0-9a-f]{12}\./);
  await pty.press("y", /^ . DONE/);
  expect(stage.landed().toSorted()).toEqual(["T-1", "T-2"]);
  expect(stage.git("app", "show", "main:pay/amount.txt")).toBe("2");
  await pty.press("q", /2 done/);
  expect(await pty.exitCode()).toBe(0);
  expect((await stage.report()).interventions.byClass).toMatchObject({ I6: 1 });
});
