import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { HONEST, PROGRAM, pidsUnder, Stage } from "./stage.ts";

const SQLITE = readFileSync(resolve(import.meta.dirname, "../../example/trackers/sqlite.mjs"), "utf8");
const LATE = 300_000;

interface Row {
  readonly id: string;
  readonly state: string;
  readonly step: string | null;
  readonly note: string | null;
}

/** A stage whose tickets are in a SQLite file beside the batch, behind the example's program. */
function staged(
  tickets: readonly (readonly [id: string, dependsOn?: readonly string[]])[],
  over: Record<string, unknown> = {},
  program?: string,
) {
  const stage = new Stage(program);
  onTestFinished(() => stage[Symbol.dispose]());
  stage.repo("app");
  stage.agent(HONEST);
  stage.write("tracker.mjs", SQLITE);
  execFileSync(process.execPath, [stage.path("tracker.mjs"), stage.path("tickets.db"), "init"]);
  const db = new DatabaseSync(stage.path("tickets.db"), { timeout: 30_000 });
  onTestFinished(() => db.close());
  const insert = db.prepare("INSERT INTO tickets (id, title, body, dependsOn) VALUES (?, ?, ?, ?)");
  for (const [id, dependsOn = []] of tickets) insert.run(id, `Do ${id}`, `The words of ${id}.`, JSON.stringify(dependsOn));
  const rows = () => db.prepare("SELECT id, state, step, note FROM tickets ORDER BY rowid").all() as unknown as readonly Row[];
  const tracker = { kind: "command", command: [process.execPath, "{batch}/tracker.mjs", "tickets.db"] };
  return { stage, db, rows, batch: stage.batch([], { tracker, ...over }) };
}

describe("a batch whose tickets are behind a program", { timeout: LATE }, () => {
  test("is worked in the order of its dependencies, and the oracle reads the tracker by the same program", async () => {
    const { stage, rows, batch } = staged([["T-1"], ["T-2", ["T-1"]]], {}, PROGRAM);
    stage.agent(`if (!prompt.includes("The words of " + ticket)) process.exit(1); ${HONEST}`);
    const { code, stdout, stderr, events } = await stage.events(batch);
    expect({ code, stderr }, stdout.slice(-3_000)).toEqual({ code: 0, stderr: "" });
    expect(stage.landed()).toEqual(["T-1", "T-2"]);
    expect(rows()).toMatchObject([{ state: "done", note: expect.stringContaining("landed") }, { state: "done" }]);
    expect(events.find(({ type }) => type === "tripwire-ended")).toMatchObject({ ok: true });
    const oracle = await stage.run(["oracle", batch]);
    expect(oracle.code, oracle.stderr).toBe(0);
    expect(JSON.parse(oracle.stdout)).toMatchObject({ verdict: "done", counts: { done: 2, gated: 0, open: 0 } });
  });

  test("takes what agents find, leaves a gate with its step, and is shown by --dry-run and doctor", async () => {
    const { stage, rows, batch } = staged([["T-1"]], { limits: { attempts: 1 } });
    const found = JSON.stringify(JSON.stringify({ title: "Found it", body: "here", reason: "seen on the way" }));
    stage.agent(
      `${HONEST} if (ticket === "T-1") { fs.mkdirSync(process.env.LOOPDASH_OUTBOX + "/discovered", { recursive: true });
      fs.writeFileSync(process.env.LOOPDASH_OUTBOX + "/discovered/1.json", ${found}); }`,
    );
    const plan = await stage.run([batch, "--dry-run"]);
    expect(plan.stdout, plan.stderr).toContain("T-1  [app]  Do T-1");
    expect((await stage.run(["doctor", batch])).stdout).toMatch(
      /ok +tracker +1 ticket readable in the tracker; the oracle says not-done/,
    );
    const { code, stdout } = await stage.events(batch);
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(rows()).toMatchObject([
      { id: "T-1", state: "done" },
      { id: "T-1-d1", state: "done" },
    ]);
  });

  test("is not done by what its agents say: a ticket that a person reopens is worked again in the next run", async () => {
    const { stage, db, rows, batch } = staged([["T-1"], ["T-2"]]);
    expect((await stage.events(batch)).code).toBe(0);
    db.prepare("UPDATE tickets SET state = 'open' WHERE id = 'T-2'").run();
    expect((await stage.run(["oracle", batch])).code).toBe(1);
    stage.agent(`fs.writeFileSync(ticket + "-again.txt", ""); say("again");`);
    const { code, stdout } = await stage.events(batch);
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(rows()).toMatchObject([{ state: "done" }, { state: "done" }]);
    expect(stage.git("app", "ls-files")).toContain("T-2-again.txt");
  });

  test("survives a kill -9 of its engine, without a doubled landing", async () => {
    const { stage, rows, batch } = staged([["T-1"], ["T-2", ["T-1"]]]);
    const run = stage.start([batch, "--json"]);
    await run.until(/"type":"merge-landed"/);
    run.child.kill("SIGKILL");
    await run.ended;
    const { code, stdout } = await stage.events(batch);
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(stage.landed()).toEqual(["T-1", "T-2"]);
    expect(rows().map(({ state }) => state)).toEqual(["done", "done"]);
  });
});

describe("the program of a tracker", { timeout: LATE }, () => {
  test("that fails at the start is told with its reason, and nothing starts", async () => {
    const { stage, batch } = staged([["T-1"]]);
    stage.write("tracker.mjs", 'console.error("first\\nthe token \\u001b[31mhas expired"); process.exit(7);\n');
    for (const args of [
      [batch, "--headless"],
      [batch, "--dry-run"],
    ]) {
      const { code, stderr } = await stage.run(args);
      expect(code).toBe(3);
      expect(stderr).toMatch(
        /the tracker cannot be read\n +why: the tracker program "tracker.mjs" ended with exit code 7: the token .*has expired/,
      );
      expect(stderr).not.toContain("\u001b");
    }
    expect(stage.landed()).toEqual([]);
  });

  test("that is away during the run is waited for, and costs no attempt", async () => {
    const { stage, rows, batch } = staged([["T-1"]], { limits: { attempts: 1, outageMinutes: 2 } });
    const away = stage.path("away");
    stage.write(
      "tracker.mjs",
      SQLITE.replace(
        "const [file, verb]",
        `if (existsSync("${away}")) throw new Error("503 from the tracker");\nconst [file, verb]`,
      ),
    );
    stage.agent(`fs.writeFileSync("${away}", ""); ${HONEST}`);
    const run = stage.start([batch, "--json"]);
    await run.until(/"type":"outage-started"[^\n]*503 from the tracker/);
    execFileSync("rm", [away]);
    const { code, stdout } = await run.ended;
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(rows()).toMatchObject([{ state: "done" }]);
  });

  test("that is rewritten while the oracle judges by it makes it unable to judge", async () => {
    const { stage, batch } = staged([["T-1"]], { limits: { outageMinutes: 0.02 } }, PROGRAM);
    const liar = SQLITE.replace("print(...rows.map(ticket)", 'print(...rows.map(ticket).map((t) => ({ ...t, state: "done" }))');
    stage.agent(`fs.writeFileSync("${stage.path("tracker.mjs")}", ${JSON.stringify(liar)}); process.exit(1);`);
    const { code, events } = await stage.events(batch);
    expect(code).toBe(3);
    expect(JSON.stringify(events)).toContain("is not what was frozen");
    expect(stage.landed()).toEqual([]);
  });

  test("that lies in a repository is refused", async () => {
    const { stage } = staged([["T-1"]]);
    stage.write("app/tracker.mjs", SQLITE);
    const tracker = { kind: "command", command: [process.execPath, "{batch}/app/tracker.mjs", "tickets.db"] };
    const { code, stderr } = await stage.run([stage.batch([], { tracker }), "--headless"]);
    expect(code).toBe(4);
    expect(stderr).toContain('tracker.mjs lies in the repository "app"');
  });

  test("has the secrets that the batch gives it, and nothing that loopdash writes has them", async () => {
    const token = "tracker-Token+4711/not=for~agents";
    const { stage, batch } = staged([["T-1"]], {
      sandbox: "required",
      secrets: { tracker: { env: "TRACKER_TOKEN" } },
      tracker: {
        kind: "command",
        command: ["node", "{batch}/tracker.mjs", "tickets.db"],
        env: { TOKEN: "Bearer {secret:tracker}" },
      },
    });
    stage.write(
      "tracker.mjs",
      SQLITE.replace(
        "const [file, verb]",
        `if (process.env.TOKEN !== "Bearer ${token}") throw new Error("401 " + process.env.TOKEN);\nconst [file, verb]`,
      ),
    );
    const { code, stdout, stderr } = await stage.run([batch, "--json"], { TRACKER_TOKEN: token });
    expect({ code, stderr }, stdout.slice(-3_000)).toEqual({ code: 0, stderr: "" });
    for (const text of [stdout, stage.everything()]) expect(text).not.toContain(token);
    const refused = await stage.run([batch, "--headless", "--fresh"], { TRACKER_TOKEN: "another-token-of-the-tracker" });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("401");
    expect(refused.stderr).not.toContain("another-token-of-the-tracker");
  });

  test("that an engine left under way when it was killed is ended before the next one reads, and covers nobody's write", async () => {
    const { stage, db, rows, batch } = staged([["T-1"]]);
    // It looks, takes its time, and then writes, as a client of a slow service does.
    const slow = `if (verb === "set" && existsSync("${stage.path("slow")}")) { writeFileSync("${stage.path("pid")}", String(process.pid));
      setTimeout(() => { db.prepare("UPDATE tickets SET state = 'done', note = 'late' WHERE id = 'T-1'").run(); }, 4_000); await new Promise(() => {}); }\n`;
    stage.write(
      "tracker.mjs",
      SQLITE.replace("import { existsSync }", "import { existsSync, writeFileSync }").replace(
        "const print =",
        `${slow}const print =`,
      ),
    );
    stage.write("slow", "");
    const run = stage.start([batch, "--json"]);
    await run.until(/"type":"tracker-writing"/);
    await vi.waitFor(() => expect(existsSync(stage.path("pid"))).toBe(true), { timeout: 60_000 });
    run.child.kill("SIGKILL");
    await run.ended;
    execFileSync("rm", [stage.path("slow")]);
    db.prepare("UPDATE tickets SET state = 'human-gated', step = 'ask Ann', version = version + 1 WHERE id = 'T-1'").run();
    const { code, stdout } = await stage.events(batch);
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(pidsUnder(stage.root)).not.toContain(Number(readFileSync(stage.path("pid"), "utf8")));
    expect(rows()).toMatchObject([{ state: "human-gated", step: "ask Ann" }]);
  });

  test("cannot be opened to agents, who would have it run outside the sandbox", async () => {
    const { stage } = staged([["T-1"]]);
    stage.write("tools/tracker.mjs", SQLITE);
    const tracker = { kind: "command", command: [process.execPath, "{batch}/tools/tracker.mjs", "tickets.db"] };
    const batch = stage.batch([], { tracker, sandbox: "required", sandboxPolicy: { write: ["tools"] } });
    const { code, stderr } = await stage.run([batch, "--headless"]);
    expect(stderr).toMatch(/tools cannot be made writable: it holds .*tracker\.mjs/);
    expect(code).not.toBe(0);
    expect(stage.landed()).toEqual([]);
  });

  test("tells no secret in its errors, whichever command of loopdash shows them", async () => {
    const token = "sup3r-Secret_Value-0123456789abcdef";
    const { stage, batch } = staged([["T-1"]], {
      sandbox: "required",
      secrets: { tracker: { env: "TRACKER_TOKEN" } },
      tracker: { kind: "command", command: ["node", "{batch}/tracker.mjs", "tickets.db"], env: { TOKEN: "{secret:tracker}" } },
    });
    const fails = `const count = stagePath; appendFileSync(count, "x"); if (readFileSync(count, "utf8").length > LIMIT) throw new Error("p".repeat(450) + " 401 " + process.env.TOKEN);\n`;
    for (const limit of [0, 1, 2]) {
      const count = JSON.stringify(stage.path(`count-${limit}`));
      const script = SQLITE.replace("import { existsSync }", "import { appendFileSync, existsSync, readFileSync }").replace(
        "const [file, verb]",
        `${fails.replace("stagePath", count).replace("LIMIT", String(limit))}const [file, verb]`,
      );
      for (const args of [
        ["oracle", batch],
        ["doctor", batch],
        [batch, "--headless"],
        [batch, "--dry-run"],
      ]) {
        stage.write("tracker.mjs", script);
        stage.write(`count-${limit}`, "");
        const { stdout, stderr } = await stage.run(args, { TRACKER_TOKEN: token });
        expect(stdout + stderr, args.join(" ")).not.toMatch(/sup3r|Secret_Value/);
        expect(stdout + stderr, args.join(" ")).not.toContain("a defect of loopdash");
      }
    }
  });
});
