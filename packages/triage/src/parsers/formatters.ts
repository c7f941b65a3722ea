import { type Draft, type ParsedReport, relativeFile, runOnFile } from "../draft.ts";

/** A formatter's line about one file, and the command that repairs it. */
const FORMATTERS: readonly { readonly tool: string; readonly line: RegExp; readonly repair: readonly string[] }[] = [
  { tool: "prettier", line: /^\[warn\] (\S{1,300}\.\w{1,9})$/, repair: ["npx", "--no", "prettier", "--write"] },
  { tool: "black", line: /^would reformat (\S{1,300}\.pyi?)$/, repair: ["black"] },
  { tool: "ruff format", line: /^Would reformat: (\S{1,300}\.pyi?)$/, repair: ["ruff", "format"] },
  { tool: "rustfmt", line: /^Diff in (\S{1,300}\.rs)(?::\d{1,7}:| at line \d{1,7}:)$/, repair: ["cargo", "fmt", "--"] },
];

/** Reads the reports of prettier, black, ruff and rustfmt about files that they would write differently. A file counts once. */
export function parseFormatters(lines: readonly string[], roots: readonly string[]): ParsedReport {
  const drafts = new Map<string, Draft>();
  for (const line of lines) {
    for (const { tool, line: pattern, repair } of FORMATTERS) {
      const found = pattern.exec(line)?.[1];
      if (found === undefined) continue;
      const file = relativeFile(found, roots);
      const reproduce = runOnFile(repair, file);
      const message = "its format is not the formatter's";
      drafts.set(`${tool} ${file}`, {
        ...{ tool, severity: "low", category: "format", file, message, hints: ["the command repairs it"] },
        ...(reproduce && { reproduce }),
      });
    }
  }
  return { drafts: [...drafts.values()] };
}
