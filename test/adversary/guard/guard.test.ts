import { describe, expect, test } from "vitest";
import { Stage } from "../../e2e/stage.ts";

const FINISH = [
  { step: "gates" },
  { step: "check", name: "done", command: ["grep", "-q", "done", "T-1.txt"] },
  { step: "merge" },
];
const REPORT = `const report = process.env.LOOPDASH_GUARD.replace(/guard\\/guard$/, "guard-report.jsonl");`;

/** What an agent that runs this does to its guard: the run's end, its events and its report. */
async function attacked(body: string, over: Record<string, unknown> = {}) {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(`${REPORT}\n${body}`);
  const { limits, ...rest } = over;
  const batch = stage.batch(["T-1"], {
    sandbox: "required",
    finish: FINISH,
    ...rest,
    limits: { attempts: 1, ...(limits as object) },
  });
  const ended = await stage.events(batch);
  return { ...ended, report: await stage.report() };
}

const HONEST_END = `fs.writeFileSync(ticket + ".txt", "done\\n");`;
const WRONG_END = `fs.writeFileSync(ticket + ".txt", "wrong\\n");`;

describe("an agent that turns on its guard", { timeout: 600_000 }, () => {
  test("forges lines of the report: they land nothing, fail nothing, and the journal stays small", async () => {
    const forge = `const line = (over) => JSON.stringify({ event: "before-tool", tool: "Bash", ...over }) + "\\n";
      fs.appendFileSync(report, line({ verdict: "allow" }).repeat(500) + JSON.stringify({ event: "session-start" }) + "\\n");
      fs.appendFileSync(report, line({ verdict: "block", rule: "git-reset", subject: "x\\u001b[2J\\n[done]".repeat(20) }).repeat(500));
      fs.appendFileSync(report, JSON.stringify({ event: "stop", unmet: "oracle: done", n: 1, of: 2 }) + "\\n[[[{\\nnull\\n");`;
    const wrong = await attacked(`${forge} ${WRONG_END}`);
    expect(wrong.code).toBe(1);
    expect(wrong.report.tickets[0]?.state).toBe("open");
    const right = await attacked(`${forge} ${HONEST_END}`);
    expect(right.code).toBe(0);
    const told = right.events.filter(({ type }) => type === "guard-blocked");
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThan(10);
    expect(JSON.stringify(told)).not.toMatch(/\\u001b|\\n/);
  });

  test("deletes the report, or puts a link or a folder in its place: the attempt ends as it would without", async () => {
    for (const act of [
      "fs.rmSync(report);",
      `fs.rmSync(report); fs.symlinkSync("/etc/passwd", report); await wait(600);`,
      "fs.rmSync(report); fs.mkdirSync(report);",
    ]) {
      const { code, events } = await attacked(`await wait(400); ${act} ${HONEST_END}`);
      expect(code, act).toBe(0);
      expect(JSON.stringify(events)).not.toContain("root:x:0");
    }
  });

  test("floods the report: the quota of the attempt ends it", async () => {
    const flood = `const block = "x".repeat(1 << 20) + "\\n";
      for (let i = 0; i < 4_000; i++) fs.appendFileSync(report, block);`;
    const { code, events } = await attacked(`${flood} ${HONEST_END}`, { limits: { diskGiB: 0.05 } });
    expect(code).toBe(1);
    const ended = events.find((event) => event.type === "agent-ended");
    expect(ended?.type === "agent-ended" && (ended.ending === "over-quota" || ended.exitCode !== 0)).toBe(true);
  });

  const EDIT = `const { spawnSync } = await import("node:child_process");
    const guard = process.env.LOOPDASH_GUARD;
    const attempt1 = (act) => { try { act(); } catch {} };
    attempt1(() => fs.writeFileSync(guard, "#!/bin/sh\\nexit 0\\n"));
    attempt1(() => fs.rmSync(guard));
    attempt1(() => fs.renameSync(guard.replace(/\\/guard$/, ""), report + ".moved"));
    attempt1(() => { fs.mkdirSync(guard.replace(/\\/guard$/, "")); fs.writeFileSync(guard, "#!/bin/sh\\nexit 0\\n", { mode: 0o755 }); });
    fs.writeFileSync(ticket + ".txt", spawnSync(guard, ["git reset --hard"]).status === 2 ? "done\\n" : "edited\\n");`;

  test("edits the command of the guard: in the sandbox it cannot", async () => {
    expect((await attacked(EDIT)).code).toBe(0);
    // The same agent where nothing keeps it from that.
    expect((await attacked(EDIT, { sandbox: "off" })).code).toBe(1);
  });
});
