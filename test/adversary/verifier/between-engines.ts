import { writeFileSync } from "node:fs";
import { linkAfter, origin } from "../../../src/adapters/journal/chain.ts";
import { oracleBatchBytes, oracleSha } from "../../../src/adapters/oracle/oracle-batch.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { bundled, changes, inDatabase, type Killed, type Loose, rechain, replaceIn, runFile, sql } from "./killed-run.ts";
import { ALWAYS } from "./own-oracles.ts";

/** Edits the batch in the record of the run's beginning. */
const rebatch = (edit: (batch: Loose, started: Loose, run: Killed) => void) => (run: Killed) =>
  rechain(run, (facts) => edit(facts[0].batch, facts[0], run));

/** What a run says whose proof passed, and one that is done. */
const PROVEN = /"tripwire-ended","ok":true/;
const ENDED_DONE = /"kind":"oracle-done"/;

const frozen = (part: string) => new RegExp(`what must not change has changed since the run began: the ${part}`);

const FROZEN_SET = changes(
  DEFENCES.frozenSet,
  [
    {
      id: "C6",
      what: "the tripwire's code is changed so that it proves nothing",
      change: ({ program }: Killed) =>
        replaceIn(bundled(program, "the canaries could not be judged"), /if \(!options\.canaries\)/, "if (true)"),
      told: frozen("tripwire"),
    },
    ...(
      [
        ["C7", "attempts", 20],
        ["C7-heals", "heals", 10],
        ["C7-run", "usdPerRun", 1_000],
      ] as const
    ).map(([id, limit, value]) => ({
      id,
      what: `limits.${limit} is raised in the journal, with a chain that holds`,
      change: rebatch(({ limits }) => {
        limits[limit] = value;
      }),
      told: frozen("limits"),
    })),
    {
      id: "C8",
      what: "the list of protected paths is emptied in the journal, with a chain that holds",
      change: rebatch((batch) => {
        batch.protect = [];
      }),
      told: frozen("guard"),
    },
    {
      id: "C8-sandbox",
      what: "the sandbox is opened in the journal, with a chain that holds",
      change: rebatch((batch) => {
        batch.sandboxPolicy = { read: ["/"], write: ["/srv"], hosts: {} };
      }),
      told: frozen("sandbox"),
    },
    {
      id: "C7-finish",
      what: "a ticket's finish line is cut short in the journal, with a chain that holds",
      change: rebatch((batch) => {
        batch.tickets[0].finish = [{ step: "assert" }];
      }),
      told: frozen("batch"),
    },
    {
      id: "C7-dropped",
      what: "a ticket is taken out of the journal's batch, with hashes that hold",
      change: rebatch((batch, started, run) => {
        batch.tickets = batch.tickets.slice(0, 1);
        const tracker = { kind: "embedded", file: runFile(run, "tracker.json") } as const;
        started.batchSha = oracleSha(oracleBatchBytes({ version: 1, tracker, tickets: ["T-1" as never] }));
      }),
      told: frozen("batch"),
    },
  ].map((change) => ({ ...change, goes: PROVEN })),
);

const ORACLE_BYTES = changes(DEFENCES.runOracle, [
  {
    id: "C1-run-folder",
    what: "the oracle's bytes in the run's folder say yes always",
    change: (run) => writeFileSync(runFile(run, "oracle.cjs"), ALWAYS),
    told: /its frozen oracle is not the one it began with/,
    goes: ENDED_DONE,
  },
  {
    id: "C1-run-rechained",
    what: "the oracle's bytes in the run's folder say yes always, and the journal names their hash",
    change: (run) => {
      writeFileSync(runFile(run, "oracle.cjs"), ALWAYS);
      rechain(run, ([started]) => {
        started.oracleSha = oracleSha(Buffer.from(ALWAYS));
      });
    },
    told: frozen("oracle"),
    goes: ENDED_DONE,
  },
]);

const edited = (from: RegExp, to: string) => (run: Killed) => replaceIn(run.batch, from, to);

const BATCH_FILE = changes(
  DEFENCES.batchFile,
  [
    { id: "C7-file", what: "limits.attempts is raised in the batch file", change: edited(/"attempts": 2/, '"attempts": 20') },
    { id: "C8-file", what: "the list of protected paths is emptied in the batch file", change: edited(/"x"/, "") },
    {
      id: "C8-file-sandbox",
      what: "a sandboxPolicy is put into the batch file",
      change: edited(/"protect":/, '"sandboxPolicy": { "read": ["/"] }, "protect":'),
    },
    {
      id: "C4-file",
      what: "a ticket is taken out of the batch file",
      change: edited(/,\s*\{\s*"title": "Do T-2"[^}]*\}/, ""),
    },
  ].map((change) => ({ ...change, told: /the batch file was changed since the run began/, refused: 4 })),
);

const JOURNAL = changes(
  DEFENCES.chain,
  [
    {
      id: "C10",
      what: "an old row is rewritten: more money is left for today",
      change: sql(`UPDATE journal SET data = replace(data, '"spentTodayUsd":0', '"spentTodayUsd":-9') WHERE seq = 1`),
    },
    { id: "C10-time", what: "the time of a row is changed", change: sql("UPDATE journal SET at = at - 60000 WHERE seq = 2") },
    {
      id: "C10-rehashed",
      what: "a row is rewritten and hashed again, and what follows is left",
      change: (run: Killed) =>
        inDatabase(run, (db) => {
          const [row] = db.prepare("SELECT run, at, data FROM journal WHERE seq = 1").all() as Loose[];
          const fact = { ...JSON.parse(row.data), spentTodayUsd: 0.5 };
          const next = linkAfter(origin(row.run), row.run, { at: row.at, fact, data: JSON.stringify(fact) });
          db.prepare("UPDATE journal SET data = ?, hash = ? WHERE seq = 1").run(next.data, next.hash);
        }),
    },
    {
      id: "C10-last",
      what: "the last row is cut off",
      change: sql("DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)"),
    },
    {
      id: "C10-cut-head",
      what: "the last row is cut off and the head's number set back",
      change: sql(`DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal); UPDATE runs SET head_seq = head_seq - 1`),
    },
    {
      id: "C10-column",
      what: "a row's column says another type than its data",
      change: sql("UPDATE journal SET type = 'attempt-noted' WHERE seq = 2"),
    },
  ].map((change) => ({ ...change, told: /its journal is broken: / })),
);

export const BETWEEN_ENGINES: readonly Attack[] = [...FROZEN_SET, ...ORACLE_BYTES, ...BATCH_FILE, ...JOURNAL];
