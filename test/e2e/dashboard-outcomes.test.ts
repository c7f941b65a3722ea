import { describe, expect, test } from "vitest";
import { patientAgent } from "./actors.ts";
import { terminals } from "./pty.ts";
import { HONEST, Stage } from "./stage.ts";

const open = terminals();

/** The lines under a title, as far as the last but one line of the screen. */
function under(title: string, screen: string): readonly string[] {
  const lines = screen.split("\n");
  return lines.slice(lines.findIndex((line) => line.includes(`─ ${title}`)) + 1, -1).filter((line) => line.trim() !== "");
}

describe("the feed of a run", { timeout: 300_000 }, () => {
  test("has one line per ticket and attempt, the same after attaching; v lists every event, { and } scroll", async () => {
    using stage = new Stage();
    stage.repo("app");
    patientAgent(stage, `if (ticket !== "T-1" || attempt > 1) { ${HONEST} }`);
    const first = open(stage, [stage.batch(["T-1", "T-2", "T-3"])], { columns: 120, rows: 34 });
    await first.waitFor(/READY T-1[^]*OUTCOMES[^]*run started: 3 tickets/);
    stage.write("go-T-1", "");
    stage.write("go-T-2", "");
    const shown = await first.waitFor(/OUTCOMES[^]*T-1 +↻ attempt 1: nothing was changed[^]*T-1 +✔ landed, attempt 2/);
    await first.waitFor(/OUTCOMES[^]*T-2 +✔ landed/);
    expect(shown).not.toContain("attempt 1 begins");

    await first.press("v", /EVENTS[^]*attempt 2 begins/);
    for (let i = 0; i < 10; i++) first.type("{");
    await first.waitFor(/EVENTS.* later[^]*run started/);
    await first.press("v", /OUTCOMES[^]*T-1 +✔ landed, attempt 2/);
    const before = under("OUTCOMES", first.text()).filter((line) => !line.includes("oracle:"));
    await first.press("q", "the run continues");
    first.type("d");
    expect(await first.exitCode()).toBe(130);

    const again = open(stage, ["attach"], { columns: 120, rows: 34 });
    const later = await again.waitFor(/OUTCOMES[^]*T-1 +✔ landed, attempt 2/);
    expect(under("OUTCOMES", later).filter((line) => !line.includes("oracle:"))).toEqual(before);
    stage.write("go", "");
    await again.waitFor(/^ ✔ DONE/);
    again.type("q");
    expect(await again.exitCode()).toBe(0);
  });
});
