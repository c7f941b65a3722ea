import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Stage } from "./stage.ts";

const ASK = `const ask = (line) => spawnSync(process.env.LOOPDASH_GUARD, [line], { encoding: "utf8" });`;
const IMPORT = `const { spawnSync } = await import("node:child_process");`;

/** A stage whose agent asks the guard. */
function guardedStage(body: string): Stage {
  const stage = new Stage();
  stage.repo("app");
  stage.agent(`${IMPORT}\n${ASK}\n${body}\nfs.writeFileSync(ticket + ".txt", "done");`);
  return stage;
}

const FINISH = [{ step: "gates" }, { step: "merge" }];

describe("the guard of an agent of one's own", { timeout: 300_000 }, () => {
  test.each(["required", "off"] as const)("judges what it is asked, and tells the run (sandbox: %s)", async (sandbox) => {
    using stage = guardedStage(`for (const line of ["git status", "git reset --hard", "npm publish"]) {
      const { status, stderr } = ask(line);
      say(JSON.stringify([line, status, stderr]));
    }`);
    const guard = { families: { publish: false } };
    const batch = stage.batch(["T-1"], { sandbox, guard, finish: FINISH });
    const { code, stdout } = await stage.run([batch, "--headless"]);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/T-1 .*guard blocked git-reset: git reset --hard; instead: git stash push --include-untracked/);
    const log = readFileSync(stage.path("home/runs", (await stage.report()).run, "tickets/T-1/attempt-1/agent.log"), "utf8");
    const told = log.split("\n").filter((line) => line.startsWith("["));
    expect(told.map((line) => JSON.parse(line).slice(0, 2))).toEqual([
      ["git status", 0],
      ["git reset --hard", 2],
      ["npm publish", 0],
    ]);
    expect(told[1]).toContain("git stash push");
    expect((await stage.report()).guard).toEqual({ blocked: 1, byRule: { "git-reset": 1 }, dead: 0, stopsTold: 0 });
  });

  test.each(["required", "off"] as const)("tells what is unmet at a stop, as often as it may (sandbox: %s)", async (sandbox) => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`${IMPORT}
      const stop = () => {
        const { status, stderr } = spawnSync(process.env.LOOPDASH_GUARD, ["--stop"], { encoding: "utf8" });
        say(JSON.stringify([status, stderr]));
      };
      stop();
      fs.writeFileSync("made.txt", "wrong");
      stop();
      stop();
      fs.writeFileSync("made.txt", "done");`);
    const finish = [{ step: "gates" }, { step: "check", name: "made", command: ["grep", "done", "made.txt"] }, { step: "merge" }];
    const { code, stdout } = await stage.run([stage.batch(["T-1"], { sandbox, finish }), "--headless"]);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/T-1 .*stop guard: nothing changed, told 1 of 2/);
    expect(stdout).toMatch(/T-1 .*stop guard: check made fails, told 2 of 2/);
    const log = readFileSync(stage.path("home/runs", (await stage.report()).run, "tickets/T-1/attempt-1/agent.log"), "utf8");
    const told = log.split("\n").flatMap((line) => (line.startsWith("[") ? [JSON.parse(line) as [number, string]] : []));
    expect(told.map(([status]) => status)).toEqual([2, 2, 0]);
    expect(told[1]?.[1]).toContain('The check "made" fails (exit 1)');
    expect((await stage.report()).guard).toMatchObject({ stopsTold: 2, dead: 0 });
  });

  test("tells nothing at a stop without a stop guard", async () => {
    using stage = guardedStage(`const { status, stderr } = ask("--stop");
      if (status !== 0 || stderr !== "") throw new Error(stderr);`);
    const batch = stage.batch(["T-1"], { guard: { stopGuard: { times: 0 } }, finish: FINISH });
    const { code, stdout } = await stage.run([batch, "--headless"]);
    expect(code, stdout).toBe(0);
  });

  test("is not there if the batch switches it off", async () => {
    using stage = guardedStage(`if (process.env.LOOPDASH_GUARD !== undefined) throw new Error("a guard");`);
    const { code, stdout } = await stage.run([stage.batch(["T-1"], { guard: false, finish: FINISH }), "--headless"]);
    expect(code, stdout).toBe(0);
  });

  test("has rules by their names only", async () => {
    using stage = guardedStage("");
    const batch = stage.batch(["T-1"], { guard: { rules: { "git-rest": false } } });
    const { code, stderr } = await stage.run([batch, "--headless"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/unknown key "git-rest".*did you mean "git-reset"\?/s);
  });
});
