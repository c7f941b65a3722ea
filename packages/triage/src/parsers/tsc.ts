import type { Draft, ParsedReport } from "../draft.ts";

/** `src/a.ts(3,5): error TS2322: …`; with `--pretty`, `src/a.ts:3:5 - error TS2322: …`. */
const PLAIN = /^([^\s(][^(]{0,300})\((\d{1,7}),\d{1,7}\): error (TS\d{4,6}): (.*)$/;
const PRETTY = /^([^\s:](?::[\\/])?[^:]{0,300}):(\d{1,7}):\d{1,7} - error (TS\d{4,6}): (.*)$/;
/** An error of the project as a whole. */
const GLOBAL = /^error (TS\d{4,6}): (.*)$/;

/** Reads the output of the TypeScript compiler. */
export function parseTsc(lines: readonly string[]): ParsedReport {
  const drafts: Draft[] = [];
  let isOpen = false;
  for (const [at, line] of lines.entries()) {
    const draft = tscDraft(line);
    const last = drafts.at(-1);
    // The reasons of an error are indented below it; code that `--pretty` shows follows a blank line.
    if (draft !== undefined) drafts.push({ ...draft, at });
    else if (isOpen && last !== undefined && /^ {2,20}\S/.test(line))
      drafts[drafts.length - 1] = { ...last, message: `${last.message}\n${line}`.slice(0, 4_000) };
    isOpen = draft !== undefined || (isOpen && line.startsWith("  "));
  }
  return { drafts };
}

function tscDraft(line: string): Draft | undefined {
  const found = PLAIN.exec(line) ?? PRETTY.exec(line);
  const [, file = "", number, code = "", message = ""] = found ?? [];
  const common = { tool: "tsc", severity: "high", category: "types", reproduce: ["npx", "--no", "tsc", "--noEmit"] } as const;
  if (found !== null) return { ...common, file, line: Number(number), message: `${code}: ${message}` };
  const [, globalCode, globalMessage] = GLOBAL.exec(line) ?? [];
  return globalCode === undefined ? undefined : { ...common, severity: "blocker", message: `${globalCode}: ${globalMessage}` };
}
