// A tracker in a SQLite file, as a program for loopdash: `node sqlite.mjs tickets.db init` makes the file. Fill it by
//   sqlite3 tickets.db "INSERT INTO tickets (id, title) VALUES ('T-1', 'Show the version in the footer')"
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { json } from "node:stream/consumers";

// loopdash shows the last line of stderr.
process.on("uncaughtException", ({ message }) => process.stderr.write(`${message}\n`, () => process.exit(1)));
const [file, verb] = process.argv.slice(2);
if (verb !== "init" && !existsSync(file)) throw new Error(`there is no file ${file}`);
const db = new DatabaseSync(file, { timeout: 30_000 }); // others may be writing

const print = (...lines) => process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const find = (id) => db.prepare("SELECT * FROM tickets WHERE id = ?").get(id); // in any case, see NOCASE
const isState = (row, { state, step }) => row.state === state && (state !== "human-gated" || row.step?.trim() === step.trim());

function ticket({ id, title, body, state, step, repo, dependsOn, exclusive, version }) {
  const lists = { dependsOn: JSON.parse(dependsOn), exclusive: JSON.parse(exclusive), version: `${version}` };
  return { id, title, body, state, ...(step !== null && { step }), ...(repo !== null && { repo }), ...lists };
}

const verbs = {
  init: () =>
    db.exec(`CREATE TABLE tickets (id TEXT PRIMARY KEY COLLATE NOCASE, title TEXT NOT NULL, body TEXT NOT NULL DEFAULT '',
      state TEXT NOT NULL DEFAULT 'open', step TEXT, repo TEXT, dependsOn TEXT NOT NULL DEFAULT '[]',
      exclusive TEXT NOT NULL DEFAULT '[]', note TEXT, version INTEGER NOT NULL DEFAULT 1);
      CREATE TRIGGER counted AFTER UPDATE ON tickets BEGIN UPDATE tickets SET version = version + 1 WHERE id = new.id; END`),
  snapshot() {
    const rows = db.prepare("SELECT * FROM tickets ORDER BY rowid").all();
    print(...rows.map(ticket), { tickets: rows.length });
  },
  taken() {
    const rows = db.prepare("SELECT id FROM tickets").all();
    print(...rows, { taken: rows.length });
  },
  set({ id, state, step, note, from }) {
    const before = find(id);
    if (before?.id !== id) throw new Error(`there is no ticket ${id}`);
    if (from?.every((allowed) => !isState(before, allowed))) return print({ conflict: ticket(before) });
    if (!isState(before, { state, step }))
      db.prepare("UPDATE tickets SET state = ?, step = ?, note = ? WHERE id = ?").run(state, step ?? null, note, id);
    print({ before: ticket(before), after: ticket(find(id)) });
  },
  file({ id, title, body, repo, dependsOn, exclusive, note }) {
    const found = find(id);
    if (found && (found.id !== id || found.title !== title)) return print({ taken: found.id });
    const values = [id, title, body, repo, JSON.stringify(dependsOn), JSON.stringify(exclusive), note];
    const columns = "id, title, body, repo, dependsOn, exclusive, note";
    if (!found) db.prepare(`INSERT INTO tickets (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`).run(...values);
    print({ filed: ticket(find(id)) });
  },
};

const answer = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
if (!answer) throw new Error(`unknown verb ${verb}`);
const request = verb === "set" || verb === "file" ? await json(process.stdin) : undefined;
db.exec("BEGIN IMMEDIATE"); // one writer at a time, and every reader sees one instant
answer(request);
db.exec("COMMIT");
