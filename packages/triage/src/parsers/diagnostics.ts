import { type Draft, type ParsedReport, relativeFile } from "../draft.ts";
import { MAX_BLOCKS } from "./blocks.ts";

/** `src/a.c:3:5: error: …`, `a.py:1:1: E501 …`, `/repo/a.js:1:2: … (rule)`: the form that compilers and linters share. */
const DIAGNOSTIC = /^ {0,4}([^\s:][^:]{0,300}\.\w{1,8}):(\d{1,7})(?::(\d{1,7}))?: (\S.*)$/;
/** `main.c:(.text+0xa): undefined reference to …`: a linker knows no line. */
const LINKER = /^(?:\S{1,200}: )?([^\s:]{1,300}\.\w{1,8}):\(\.[\w.+]{1,100}\): (\S.*)$/;
/** `/usr/bin/ld: cannot find -lz: …`, `rust-lld: error: …`, perhaps in a note of rustc: without an object. */
const LD = /^[ =]{0,12}(?:note: {1,4})?(?:[\w./+-]{1,200}[/-])?(?:ld|lld|gold|mold)(?:\.\w{1,6})?: (?:error: )?(\S.*)$/;
const LEVEL = /^(fatal error|error|warning)(?: ?\[?[A-Z]{1,4}\d{2,5}\]?)?: (.*)$/;
/** A linter's code; W, C, R and I are those of warnings (pylint). */
const CODE = /^([A-Z]{1,4})\d{2,5}:? /;

/** The place between a message and its code: `   ,-[src/a.js:3:12]`, `  ╭─[src/a.ts:1:2]`. */
const FRAMED = /^ {0,8}(?:,-|╭─{1,3}|┌─{1,3})\[? ?([^\s:\]]{1,300}):(\d{1,7}):\d{1,7}\]?$/;
const HEADED = /^ {0,6}(?:([!⚠])|[x×✖]|(warning)|error)(?:\[[\w-]{1,60}\])?:? {1,3}(\S.*)$/;

const LINKED = { tool: "linker", severity: "blocker", category: "build" } as const;

/** Reads diagnostics of one line each, of tools that no parser knows. */
export function parseDiagnostics(lines: readonly string[], roots: readonly string[]): ParsedReport {
  const drafts: Draft[] = [];
  for (const [at, line] of lines.entries()) {
    if (drafts.length >= MAX_BLOCKS) break;
    const [, path = "", number, column, text = ""] = DIAGNOSTIC.exec(line) ?? [];
    const framed = framedDraft(lines, at, roots);
    if (framed !== undefined) drafts.push(framed);
    const linked = linkerDraft(line, roots);
    if (linked !== undefined) drafts.push({ ...linked, at });
    const kind = path === "" ? undefined : diagnosticKind(text, column !== undefined);
    if (kind !== undefined)
      drafts.push({ ...kind, tool: "diagnostic", file: relativeFile(path, roots), line: Number(number), at });
  }
  return { drafts };
}

/** The head is a few lines above: a message may be wrapped. */
function framedDraft(lines: readonly string[], at: number, roots: readonly string[]): Draft | undefined {
  const [, path, line] = FRAMED.exec(lines[at] ?? "") ?? [];
  if (path === undefined) return undefined;
  const before = lines.slice(Math.max(0, at - 4), at);
  const start = before.findLastIndex((each) => HEADED.test(each));
  const [, sign, level, first = ""] = HEADED.exec(before[start] ?? "") ?? [];
  if (first === "") return undefined;
  const severity = sign === undefined && level === undefined ? "medium" : "low";
  const message = [first, ...before.slice(start + 1)].join("\n");
  return { tool: "diagnostic", severity, category: "lint", file: relativeFile(path, roots), line: Number(line), at, message };
}

function linkerDraft(line: string, roots: readonly string[]): Draft | undefined {
  const [, object, symbol = ""] = LINKER.exec(line) ?? [];
  if (object !== undefined) return { ...LINKED, file: relativeFile(object, roots), message: symbol };
  const message = LD.exec(line)?.[1];
  return message === undefined || /^warning: |: in function |^NOTE: /.test(message) ? undefined : { ...LINKED, message };
}

function diagnosticKind(text: string, hasColumn: boolean): Pick<Draft, "severity" | "category" | "message"> | undefined {
  const [, level, message = ""] = LEVEL.exec(text) ?? [];
  if (level === "warning") return { severity: "low", category: "lint", message };
  if (level !== undefined) return { severity: "blocker", category: "build", message };
  const code = CODE.exec(text)?.[1];
  if (code === undefined && !(hasColumn && / \([\w@/-]{1,60}\)$/.test(text))) return undefined;
  const isWarning = / \(warning\)$/.test(text) || /^[WCRI]$/.test(code ?? "");
  return { severity: isWarning ? "low" : "medium", category: "lint", message: text };
}
