import { globSync, utimesSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { patientAgent, until } from "./actors.ts";
import { terminals } from "./pty.ts";
import { HONEST, Stage } from "./stage.ts";

const open = terminals();
const AWAY = "While you were away";
const without = (text: string) => (screen: string) => !screen.includes(text);

/** Sets back the time of the last look by five minutes. */
function lookedLongAgo(stage: Stage): void {
  const [file] = globSync("runs/*/last-look", { cwd: stage.home });
  const then = new Date(Date.now() - 300_000);
  utimesSync(`${stage.home}/${file}`, then, then);
}

describe("coming back to a run", { timeout: 300_000 }, () => {
  test.each([
    { columns: 80, rows: 24 },
    { columns: 120, rows: 34 },
  ])("after a minute, $columns×$rows: says what came of it until a key, and w says it again", async (size) => {
    using stage = new Stage();
    stage.repo("app");
    patientAgent(stage, `if (ticket !== "T-1" || attempt > 1) { ${HONEST} }`);
    const first = open(stage, [stage.batch(["T-1", "T-2"])], size);
    await first.waitFor(/READY T-1[^]*READY T-2/);
    await first.press("q", "the run continues");
    first.type("d");
    expect(await first.exitCode()).toBe(130);
    await until(() => globSync("runs/*/last-look", { cwd: stage.home }).length === 1, "the last look is noted");

    const soon = open(stage, ["attach"], size);
    await soon.waitFor(/READY T-1[^]*READY T-2/);
    expect(soon.text()).not.toContain(AWAY);
    soon.type("qd");
    await soon.waitFor("Leave the dashboard");
    soon.type("d");
    expect(await soon.exitCode()).toBe(130);

    stage.write("go-T-1", "");
    await until(() => stage.landed().includes("T-1"), "T-1 lands");
    lookedLongAgo(stage);
    const later = open(stage, ["attach"], size);
    const screen = await later.waitFor(/While you were away[^]*✔ 1 landed +T-1[^]*↻ 1 retry +T-1 nothing was changed/);
    expect(screen.includes("Do T-1")).toBe(size.columns > 100);
    expect(later.isWhole()).toBe(true);
    await later.press("j", (text) => without(AWAY)(text) && text.includes("▌▶ T-2"));
    await later.press("w", AWAY);
    await later.press("\u001b", without(AWAY));

    const { stdout } = await stage.run(["status"]);
    expect(stdout).toMatch(/✔ 1 landed: T-1\n[^]*↻ 1 retry: T-1 nothing was changed\n/);
    stage.write("go", "");
    await later.waitFor(/^ ✔ DONE[^]*WHAT HAPPENED[^]*✔ 2 landed: T-1 T-2/);
    later.type("q");
    expect(await later.exitCode()).toBe(0);
    expect((await stage.run(["report", "--md"])).stdout).toContain("- ✔ 2 landed: T-1 T-2\n");
  });
});
