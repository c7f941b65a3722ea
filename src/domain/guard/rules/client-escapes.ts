import type { Inspector } from "../call.ts";
import { MARK } from "../shell/marks.ts";
import type { Scope } from "../shell/scope.ts";

/** What clients of databases give to a shell, by client. */
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
export function judgeEscapes(name: string, text: string, scope: Scope, guard: Inspector): void {
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
export function makesDeletions(text: string, reader: readonly string[] | undefined): boolean {
  const program = reader?.[0] === "xargs" ? (reader.find((word) => word in ESCAPES) ?? "") : (reader?.[0] ?? "");
  return (program in ESCAPES || program in SAME) && MAKES_DELETIONS.test(text) && !text.includes(MARK.file);
}
