import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { eventsOf, HONEST, Stage } from "./stage.ts";

/** Waits until the test has let it go on. */
const HELD = (go: string): string => `say("AT WORK"); while (!fs.existsSync(${JSON.stringify(go)})) await wait(50); ${HONEST}`;

describe("clashes with what a person has or does in the repository", { timeout: 300_000 }, () => {
  test("a linked worktree of the same repository starts no second engine on the same base", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.git("app", "worktree", "add", "-q", "-b", "side", stage.path("linked"));
    stage.agent(HELD(stage.path("go")));
    const first = stage.start([stage.batch(["T-1"]), "--json"]);
    await first.until(/AT WORK/);
    const text = readFileSync(stage.path("batch.json"), "utf8").replaceAll("T-1", "T-2");
    const second = stage.write("second.json", text.replace('"path": "app"', '"path": "linked"'));
    const refused = await stage.run([second, "--headless"], { LOOPDASH_HOME: stage.path("other-home") });
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining(`the base main of ${stage.path("app")}`)]);
    stage.write("go", "");
    expect((await first.ended).code).toBe(0);
  });

  test("doctor and --dry-run find a branch called loopdash, and say what helps", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.git("app", "branch", "loopdash");
    stage.agent(HONEST);
    const batch = stage.batch(["T-1"]);
    const help = `git -C ${stage.path("app")} branch -m loopdash <new name>`;
    for (const args of [
      ["doctor", batch],
      [batch, "--dry-run"],
      [batch, "--headless"],
    ]) {
      const { code, stdout, stderr } = await stage.run(args);
      expect(code).not.toBe(0);
      expect(`${stdout}${stderr}`).toContain(help);
    }
  });

  test("a branch that is made in the middle of a run, where a ticket's belongs, costs no attempt", async () => {
    using stage = new Stage();
    const app = stage.repo("app");
    // What an agent outside the sandbox may do, and a person at any time.
    const clash = `sh("git", "-C", ${JSON.stringify(app)}, "branch", "loopdash/" + run + "/T-2/x", "main");`;
    stage.agent(
      `const run = sh("git", "rev-parse", "--abbrev-ref", "HEAD").split("/")[1]; if (ticket === "T-1") { ${clash} } ${HONEST}`,
    );
    const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }], { limits: { attempts: 1, outageMinutes: 2 } });
    const run = stage.start([batch, "--json"]);
    await run.until(/keeps git from making branches of tickets/);
    const clashing = stage.git("app", "for-each-ref", "--format=%(refname:short)", "refs/heads/loopdash/*/T-2/x");
    stage.git("app", "branch", "-m", clashing, "mine");
    const { code, stdout } = await run.ended;
    expect(code, stdout).toBe(0);
    expect(stage.landed()).toEqual(["T-1", "T-2"]);
    expect(eventsOf(stdout).filter(({ type }) => type === "attempt-ended")).toMatchObject([
      { outcome: "done" },
      { outcome: "done" },
    ]);
    expect(existsSync(stage.path("app", "T-2.txt"))).toBe(true);
  });
});
