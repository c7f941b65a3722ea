import { describe, expect, test } from "vitest";
import { HONEST, Stage } from "./stage.ts";

/** Output as npm's when its cache cannot be written. */
const NPM = `console.error("npm error code EROFS");
console.error("npm error syscall open");
console.error("npm error A complete log of this run can be found in: /root/.npm/_logs/x.log");
process.exit(1);
`;
const NODE = process.execPath;

function staged(install: string, over: Record<string, unknown> = {}) {
  const stage = new Stage();
  stage.repo("app", { "install.mjs": install, "inputs.txt": "1\n" });
  stage.repo("other");
  stage.agent(HONEST);
  const repos = { app: { path: "app", prepare: [[NODE, "install.mjs"]] }, other: { path: "other" } };
  const tickets = [
    { id: "T-1", repo: "app" },
    { id: "T-2", repo: "app" },
    { id: "T-3", repo: "app" },
    { id: "T-4", repo: "other" },
  ];
  const batch = stage.batch(tickets, { sandbox: "required", repos, finish: [{ step: "merge" }], limits: { heals: 1 }, ...over });
  return { stage, batch };
}

describe("a base that cannot be prepared", { timeout: 300_000 }, () => {
  test("is tried twice, costs no attempt and no heal, and is what the run ends with; other repositories go on", async () => {
    const { stage, batch } = staged(NPM);
    using _ = stage;
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    const failed = events.filter((event) => event.type === "prepare-failed");
    expect(failed).toHaveLength(2);
    expect(failed[0]).toMatchObject({ summary: `${NODE} install.mjs exited with code 1: code EROFS | syscall open` });
    expect(events.filter((event) => event.type === "heal-started")).toEqual([]);
    expect(stage.landed("other")).toEqual(["T-4"]);
    const reason = `app cannot be prepared (2 failures): ${NODE} install.mjs exited with code 1: code EROFS | syscall open;`;
    expect(events.at(-1)).toMatchObject({ type: "run-ended", kind: "not-done", reason: expect.stringContaining(reason) });
    const report = await stage.report();
    expect(report.tickets.map(({ id, state }) => [id, state])).toEqual([
      ["T-1", "open"],
      ["T-2", "open"],
      ["T-3", "open"],
      ["T-4", "done"],
    ]);
  });

  test("is told in lines, once for each try, with the cause", async () => {
    const { stage, batch } = staged(NPM, { limits: { workers: 1 } });
    using _ = stage;
    const { stdout } = await stage.run([batch, "--headless"]);
    const lines = stdout.split("\n").filter((line) => /^\d\d:.*cannot be prepared/.test(line) && !line.includes("run ended"));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("code EROFS | syscall open; it is tried once more");
    expect(lines[1]).toContain("nothing starts in app in this run unless its base changes");
    expect(stdout).not.toContain("heal");
  });

  test("starts its tickets once a later engine can prepare it", async () => {
    const once = `import * as fs from "node:fs";\nif (!fs.existsSync("ok.txt")) { console.error("fatal: no ok.txt"); process.exit(1); }\n`;
    const { stage, batch } = staged(once);
    using _ = stage;
    expect((await stage.events(batch)).code).toBe(1);
    stage.write("app/ok.txt", "ok\n");
    stage.git("app", "add", "-A");
    stage.git("app", "commit", "-q", "-m", "mend");
    const { code, stdout } = await stage.events(batch);
    expect(code, stdout).toBe(0);
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-2", "T-3"]);
  });

  test("is not blamed for a change that breaks its own preparation: that attempt has failed", async () => {
    const stage = new Stage();
    using _ = stage;
    const install = `import * as fs from "node:fs";\nif (fs.readFileSync("inputs.txt", "utf8") !== "1\\n") { console.error("error: bad inputs"); process.exit(1); }\n`;
    stage.repo("app", { "install.mjs": install, "inputs.txt": "1\n" });
    stage.agent(`fs.writeFileSync("inputs.txt", "2\\n");`);
    const repos = { app: { path: "app", prepare: [[NODE, "install.mjs"]] } };
    const finish = [{ step: "check", name: "look", command: ["true"], canary: "off" }, { step: "merge" }];
    const { code, events } = await stage.events(
      stage.batch(["T-1"], { sandbox: "required", repos, finish, limits: { attempts: 1 } }),
    );
    expect(code).toBe(1);
    expect(events.filter((event) => event.type === "prepare-failed")).toEqual([]);
    expect(events.find((event) => event.type === "attempt-ended")).toMatchObject({
      outcome: "failed",
      evidence: { step: "check", name: "look", summary: expect.stringContaining("error: bad inputs") },
    });
  });
});
