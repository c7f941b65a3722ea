import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { patientAgent } from "./actors.ts";
import { terminals } from "./pty.ts";
import { PROGRAM, Stage } from "./stage.ts";

const open = terminals();
const ESC = "\u001b";

describe("graph, timeline and oracle of a real run", { timeout: 300_000 }, () => {
  test("show what it does, and what its oracle said of each ticket, to its end", async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    patientAgent(stage);
    const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }, "T-3"]);
    const pty = open(stage, [batch], { columns: 120, rows: 30 });
    await pty.waitFor(/READY T-1[^]*READY T-3/);
    await pty.press("3", /▶ T-1 +★ Do T-1[^]*└─· T-2 +★ Do T-2/);
    await pty.press("j", /▌ +▶ T-1/);
    await pty.press("w", /▌└─· T-2/);
    expect(pty.isWhole()).toBe(true);
    await pty.press("4", /4 TIMELINE[^]*now▼[^]*T-1.*━/);
    await pty.press("z", /zoom 2×/);
    expect(pty.isWhole()).toBe(true);
    await pty.press("5", /tripwire: ✔ passed: \d+ canaries judged right/);
    await pty.press("o", /EVIDENCE 3 · of \d\d:\d\d:\d\d[^]*□ T-1 +open +engine: working/);
    expect(pty.isWhole()).toBe(true);

    const [kept = ""] = globSync("runs/*/evidence.json", { cwd: stage.home });
    expect(statSync(join(stage.home, kept)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(stage.home, kept), "utf8"))).toMatchObject({
      tickets: [
        { id: "T-1", state: "open" },
        { id: "T-2", state: "open" },
        { id: "T-3", state: "open" },
      ],
    });

    stage.write("go", "");
    await pty.waitFor(/✔ DONE[^]*final: asked to end the run/);
    await pty.waitFor(/✔ T-1 +done +engine: done[^]*✔ T-2 +done +engine: done[^]*✔ T-3 +done/);
    await pty.press("4", /end▼/);
    await pty.press("3", /✔ T-2/);
    expect(pty.isWhole()).toBe(true);
    await pty.press(ESC, /DONE, says the oracle/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
  });
});
