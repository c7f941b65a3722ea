import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { scratchFolder } from "../../helpers/scratch.ts";

const ROOT = join(import.meta.dirname, "../../..");
const MAIN = join(ROOT, "src/cli/main.ts");
const SQLITE = readFileSync(join(ROOT, "example/trackers/sqlite.mjs"), "utf8");

const folder = scratchFolder();

interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...args: string[]): Promise<Outcome> {
  return new Promise((settle) => {
    execFile(process.execPath, args, { cwd: folder(), env: {} }, (error, stdout, stderr) =>
      settle({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** Checks the example's program with this piece of its source replaced, on a database with one ticket. */
async function check(piece?: string, by = ""): Promise<Outcome> {
  if (piece !== undefined) expect(SQLITE).toContain(piece);
  writeFileSync(join(folder(), "sqlite.mjs"), piece === undefined ? SQLITE : SQLITE.replace(piece, () => by));
  await run("sqlite.mjs", "tickets.db", "init");
  query("INSERT INTO tickets (id, title, repo) VALUES ('T-1', 'One', 'app')");
  return await run(MAIN, "tracker", "check", "--", process.execPath, "sqlite.mjs", "tickets.db");
}

function query(sql: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new DatabaseSync(join(folder(), "tickets.db"));
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

/** The names of the rules that are broken themselves. */
const broken = (stdout: string): readonly string[] => [...stdout.matchAll(/^bad {3}(.+?) {2,}\S/gm)].map(([, name = ""]) => name);

test("a program that keeps to the protocol passes, and its tickets are left done", async () => {
  const { exitCode, stderr, stdout } = await check();
  expect(stdout).toMatch(/\n17 ok, 0 bad\n$/);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const rows = query("SELECT id, state, repo FROM tickets ORDER BY rowid");
  expect(rows).toMatchObject([
    { id: "T-1", state: "open" },
    { state: "done", repo: "app" },
    { state: "done", repo: "app" },
  ]);
  expect(rows.slice(1).every(({ id }) => /^loopdash-check-[0-9a-f]{8}-[ab]$/.test(String(id)))).toBe(true);
});

const LOSES_WRITES = `const stale = verb === "set" ? db.prepare("SELECT id, state, step FROM tickets").all() : [];
if (verb === "set") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
process.on("exit", () => {
  for (const { id, state, step } of stale)
    if (id !== request.id) db.prepare("UPDATE tickets SET state = ?, step = ? WHERE id = ?").run(state, step, id);
});
db.exec("BEGIN IMMEDIATE");`;

test.each<[rule: string, piece: string, by: string]>([
  ["snapshot", "{ tickets: rows.length }", "{ tickets: rows.length + 1 }"],
  ["taken", "SELECT id FROM tickets", "SELECT id FROM tickets WHERE id <> 'T-1'"],
  ["unknown verb", "if (!answer) throw", "if (!answer) process.exit(0); if (false) throw"],
  ["file", "state TEXT NOT NULL DEFAULT 'open'", "state TEXT NOT NULL DEFAULT 'done'"],
  ["file is read", "SELECT * FROM tickets ORDER", "SELECT * FROM tickets WHERE id NOT LIKE '%-b' ORDER"],
  ["text", "const values = [id, title, body,", "const values = [id, title, body.replace('/close\\n', ''),"],
  ["file again", "if (!found) db", "if (found) db.prepare('UPDATE tickets SET body = ? WHERE id = ?').run(body, id); else db"],
  ["taken id", "found.id !== id || found.title !== title", "found.id !== id"],
  ["taken id", " COLLATE NOCASE", ""],
  ["set done", "run(state, step ?? null", "run('open', step ?? null"],
  ["set human-gated", "step ?? null, note", "step?.replaceAll('\"', '') ?? null, note"],
  ["set again", "if (!isState(before, { state, step }))", ""],
  ["conflict", "if (from?.every(", "if (false && from?.every("],
  ["from", "row.step?.trim() === step.trim()", "row.step === step"],
  [
    "file when done",
    "if (!found) db",
    "if (found) db.prepare(\"UPDATE tickets SET state = 'open' WHERE id = ?\").run(id); else db",
  ],
  [
    "unknown ticket",
    "if (before?.id !== id) throw",
    "if (!before) return print({ conflict: ticket(find('T-1')) }); if (false) throw",
  ],
  ["at once", 'db.exec("BEGIN IMMEDIATE");', LOSES_WRITES],
])('a program that breaks the rule "%s" is told so: %s', async (rule, piece, by) => {
  const { exitCode, stdout } = await check(piece, by);
  expect(broken(stdout)).toContain(rule);
  expect(stdout).toMatch(new RegExp(`^bad {3}${rule} .*\\n +do: \\S`, "m"));
  expect(exitCode).toBe(1);
});

test("rules that need a broken one are not tried, and are counted apart", async () => {
  const unfiled = await check("state TEXT NOT NULL DEFAULT 'open'", "state TEXT NOT NULL DEFAULT 'done'");
  const tried = (status: string) => [...unfiled.stdout.matchAll(new RegExp(`^${status} `, "gm"))].length;
  expect(tried("skip")).toBeGreaterThan(5);
  expect(unfiled.stdout).toContain('not tried: it needs the rule "file"');
  expect(unfiled.stdout).toMatch(new RegExp(`\\n${tried("ok")} ok, ${tried("bad")} bad, ${tried("skip")} not tried\\n$`));
  expect(unfiled.exitCode).toBe(1);
});

test("a broken rule leaves the tickets done all the same", async () => {
  await check("if (from?.every(", "if (false && from?.every(");
  expect(query("SELECT state FROM tickets WHERE id LIKE 'loopdash-check-%'")).toMatchObject([
    { state: "done" },
    { state: "done" },
  ]);
});

test("what a program prints cannot reach the terminal", async () => {
  writeFileSync(join(folder(), "sqlite.mjs"), `process.stdout.write('{"id":"\\u001b[31m"}\\n{"tickets":1}\\n')`);
  const { stdout } = await run(MAIN, "tracker", "check", "--", process.execPath, "sqlite.mjs");
  expect(stdout).not.toContain("\u001b");
});

test.each([
  [["tracker"], "loopdash tracker does one thing, check"],
  [["tracker", "chekc"], "loopdash tracker does one thing, check"],
  [["tracker", "check"], "loopdash tracker check lacks its program"],
  [["tracker", "check", "--"], "loopdash tracker check lacks its program"],
  [["tracker", "check", "node", "t.mjs", "--db", "x"], "Write: loopdash tracker check -- <program> [arguments]"],
])("a command line without a program is refused: %s", async (args, message) => {
  const { exitCode, stderr } = await run(MAIN, ...args);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
});

test("the help says that it files tickets", async () => {
  const { stdout } = await run(MAIN, "tracker", "--help");
  expect(stdout).toContain("loopdash tracker check -- <program> [arguments]");
  expect(stdout).toMatch(/files tickets with ids loopdash-check-… and leaves them done: use a test project/);
});
