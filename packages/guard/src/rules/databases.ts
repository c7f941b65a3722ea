import { type OptionSpec, readOptions } from "../options.ts";
import { type Call, deletionZone, type Inspector, type Places } from "../paths.ts";
import { isExact, MARK, type ShellScope } from "../shell/scope.ts";
import { positionalWords } from "./match-command.ts";

/** How a client of a database is told what to do. */
interface Client {
  readonly options: OptionSpec;
  /** Options whose values are statements. */
  readonly statements: readonly string[];
  /** The operands that are statements, from this one on. */
  readonly operandsFrom?: number;
  readonly isDocuments?: boolean;
}

const PSQL: Client = {
  options: {
    letters: "cdfhpUvLoPFRT",
    names: ["command", "dbname", "file", "host", "port", "username", "set", "variable", "output", "pset"],
  },
  statements: ["c", "command"],
};
const MYSQL: Client = {
  options: { letters: "eDhPuS", names: ["execute", "database", "host", "port", "user", "socket", "init-command"] },
  statements: ["e", "execute", "init-command"],
};
const SQLITE: Client = { options: { names: ["cmd", "init", "separator"] }, statements: ["cmd"], operandsFrom: 1 };
const MONGO: Client = {
  options: { letters: "uph", names: ["eval", "host", "port", "username", "password", "file"] },
  statements: ["eval"],
  isDocuments: true,
};

const CLIENTS: Readonly<Record<string, Client>> = {
  psql: PSQL,
  pgcli: PSQL,
  cockroach: { options: { letters: "e", names: ["execute", "url", "host"] }, statements: ["e", "execute"] },
  mysql: MYSQL,
  mariadb: MYSQL,
  mycli: MYSQL,
  sqlite3: SQLITE,
  sqlite: SQLITE,
  duckdb: { options: { letters: "cs", names: ["c"] }, statements: ["c", "s"], operandsFrom: 1 },
  mongosh: MONGO,
  mongo: MONGO,
  sqlcmd: { options: { letters: "QqSdUPi" }, statements: ["Q", "q"] },
  bq: { options: { names: ["project_id", "location"] }, statements: [], operandsFrom: 1 },
  "clickhouse-client": { options: { letters: "q", names: ["query", "host", "database"] }, statements: ["q", "query"] },
  clickhouse: { options: { letters: "q", names: ["query", "host", "database"] }, statements: ["q", "query"] },
  snowsql: { options: { letters: "qfdwsr", names: ["query", "filename"] }, statements: ["q", "query"] },
  snow: { options: { letters: "qf", names: ["query", "filename"] }, statements: ["q", "query"] },
  usql: { options: { letters: "cf", names: ["command", "file"] }, statements: ["c", "command"] },
  trino: { options: { names: ["execute", "server", "catalog", "schema", "user"] }, statements: ["execute"] },
  presto: { options: { names: ["execute", "server", "catalog", "schema", "user"] }, statements: ["execute"] },
  beeline: { options: { letters: "ufenp" }, statements: ["e"] },
  hive: { options: { letters: "ef" }, statements: ["e"] },
  impala: { options: { letters: "qf" }, statements: ["q"] },
  "impala-shell": { options: { letters: "qf", names: ["query"] }, statements: ["q", "query"] },
  sqlplus: { options: {}, statements: [] },
  isql: { options: {}, statements: [] },
  influx: { options: { names: ["execute", "database", "host"] }, statements: ["execute"] },
  rails: { options: {}, statements: [] },
  "manage.py": { options: { letters: "c", names: ["database"] }, statements: [] },
  prisma: { options: { names: ["schema", "url", "file"] }, statements: [] },
  heroku: { options: { letters: "ca", names: ["command", "app"] }, statements: ["c", "command"] },
  turso: { options: {}, statements: [], operandsFrom: 2 },
  typeorm: { options: { letters: "d" }, statements: [], operandsFrom: 1 },
  ysqlsh: PSQL,
  cqlsh: { options: { letters: "e", names: ["execute"] }, statements: ["e", "execute"] },
  wrangler: { options: { names: ["command"] }, statements: ["command"] },
};

/** Judges the statements that a client of a database is given. */
export function judgeDatabase(call: Call, guard: Inspector, places: Places): void {
  const { name, args, stdin, scope } = call;
  if (name === "redis-cli" || name === "valkey-cli") return judgeRedis(args, stdin, guard);
  const client = CLIENTS[name];
  if (client === undefined) return;
  const options = readOptions(args, client.options);
  const texts = client.statements.flatMap((option) => options.values.get(option) ?? []);
  if (client.operandsFrom !== undefined) texts.push(...options.operands.slice(client.operandsFrom));
  if (stdin !== undefined) texts.push(stdin);
  const isScratch = (client === SQLITE || name === "duckdb") && isScratchFile(options.operands[0], scope, places);
  for (const text of texts) {
    judgeEscapes(name, text, scope, guard);
    if (!isScratch || /\battach\b/i.test(text)) judgeStatements(text, client, call, guard);
  }
}

function judgeStatements(text: string, { isDocuments }: Client, { reader }: Call, guard: Inspector): void {
  if (makesDeletions(text, reader)) guard.report("sql-delete");
  if (isDocuments === true) judgeDocuments(text, guard);
  else judgeSql(text, guard);
}

/** True for a database that ends with the command, or lies in a folder for temporary files. */
function isScratchFile(file: string | undefined, scope: ShellScope, places: Places): boolean {
  return file === undefined || file === ":memory:" || file === "" || deletionZone(file, scope, places) === "temp";
}

function judgeRedis(args: readonly string[], stdin: string | undefined, guard: Inspector): void {
  const words = positionalWords("redis-cli", args);
  const act = words[0]?.toLowerCase() ?? "";
  const isAny = words.slice(1).some((word) => !isExact(word));
  if (/^(?:del|unlink)$/.test(act) && (words.length === 1 || isAny)) guard.report("document-delete");
  if (/^(?:eval|evalsha|script)$/.test(act) && /\b(?:flushall|flushdb|del|unlink)\b/i.test(words[1] ?? ""))
    guard.report("document-delete");
  if (stdin !== undefined && /^\s*(?:flushall|flushdb|shutdown)\b/im.test(stdin)) guard.report("document-delete");
}

function judgeDocuments(text: string, guard: Inspector): void {
  const code = withoutStrings(text);
  const drops = /\.\s*(?:dropDatabase|drop|dropCollection|dropIndexes|dropUser|dropAllUsers)\s*\(/.test(code);
  const deletesAll = /\.\s*(?:deleteMany|remove|deleteOne)\s*\(\s*(?:\{\s*\})?\s*[,)]/.test(code);
  if (drops || deletesAll) guard.report("document-delete");
}

function withoutStrings(code: string): string {
  return code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "''");
}

/** What is no part of an SQL statement: strings, quoted names, comments. */
const SQL_NOISE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$/g;

/** Judges SQL text: dropping, truncating, and changes of all rows. */
export function judgeSql(text: string, guard: Inspector): void {
  if (!/drop|truncate|delete|update|alter|flashback/i.test(text)) return;
  const statements = text.replace(SQL_NOISE, (noise) => (/^['"`]/.test(noise) ? " x " : " ")).split(";");
  for (const statement of statements) {
    const rule = ruleOfStatement(statement.trim().replace(/\s+/g, " ").toLowerCase());
    if (rule !== undefined) guard.report(rule);
  }
}

function ruleOfStatement(statement: string): "sql-delete" | "drop-database" | undefined {
  if (/^(?:\\\w+ )?drop (?:database|schema|keyspace|owned|measurement|series|shard|retention policy|user|role)\b/.test(statement))
    return "drop-database";
  if (/^explain (?!analyze)/.test(statement)) return undefined;
  if (/\bdrop (?:table|column|materialized view|tablespace|collection|type|partition)\b/.test(statement)) return "sql-delete";
  if (/^truncate\b|\btruncate partition\b/.test(statement)) return "sql-delete";
  const changesRows =
    /(?:^|\(|^with .*\) |^explain analyze )(?:delete from|delete \w+ from|update (?:only )?[\w.]+(?: as)?(?: \w+)? set)\b/.test(
      statement,
    );
  const limits = /\bwhere\b(?! (?:true|1|1 ?= ?1|x ?= ?x)(?: |$))/.test(statement) || /\blimit \d/.test(statement);
  return changesRows && !limits ? "sql-delete" : undefined;
}

/** Patterns of the text that clients of databases give to a shell, by client. */
const ESCAPES: Readonly<Record<string, RegExp>> = {
  psql: /\\!\s*([^\n]+)|\\(?:o|g|w|copy\b.*?\bprogram)\s*\|?\s*'?([^'\n]+)'?|\bprogram\s+'((?:[^']|'')*)'/gi,
  mysql: /(?:\\!|^\s*system\b|;\s*system\b)\s*([^\n;]+)/gim,
  sqlite3: /^\s*\.(?:shell|system)\s+([^\n]+)|^\s*\.(?:once|output|import)\s+'?"?\|\s*([^\n'"]+)/gim,
};
const SAME: Readonly<Record<string, string>> = {
  pgcli: "psql",
  mariadb: "mysql",
  mycli: "mysql",
  sqlite: "sqlite3",
  duckdb: "sqlite3",
};

/** Judges the shell commands in what a client of a database is told. */
function judgeEscapes(name: string, text: string, scope: ShellScope, guard: Inspector): void {
  const pattern = ESCAPES[SAME[name] ?? name];
  if (pattern === undefined) return;
  for (const [, ...codes] of text.matchAll(pattern)) {
    const code = codes.find((found) => found !== undefined);
    if (code !== undefined) guard.maybeLine(code, scope);
  }
}

/** SQL that makes SQL of what it finds, for a client behind the pipe. */
const MAKES_DELETIONS = /\b(?:drop\s+(?:table|schema|database|owned)|truncate(?:\s+table)?|delete\s+from)\b/i;

/** True if the statements print statements that delete, for a client that reads them. */
function makesDeletions(text: string, reader: readonly string[] | undefined): boolean {
  const program = reader?.[0] === "xargs" ? (reader.find((word) => word in ESCAPES) ?? "") : (reader?.[0] ?? "");
  return (program in ESCAPES || program in SAME) && MAKES_DELETIONS.test(text) && !text.includes(MARK.file);
}
