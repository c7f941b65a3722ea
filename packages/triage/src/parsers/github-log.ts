import type { Draft, ParsedReport } from "../draft.ts";
import { annotationDraft, isStepFailed } from "./annotations.ts";
import { MAX_BLOCKS } from "./blocks.ts";

/**
 * Errors in a log of GitHub Actions: workflow commands as a program prints them (`::error file=a.ts,line=3::…`), and the lines
 * that the runner makes of them (`##[error]…`), which have lost their file.
 */
export function parseGithubLog(lines: readonly string[], roots: readonly string[]): ParsedReport {
  const drafts: Draft[] = [];
  for (const line of lines) {
    if (drafts.length >= MAX_BLOCKS) break;
    const draft = commandDraft(line, roots) ?? errorDraft(line);
    if (draft !== undefined) drafts.push(draft);
  }
  return { drafts };
}

function commandDraft(line: string, roots: readonly string[]): Draft | undefined {
  const found = /^::error(?: ([^:]{0,900}))?::(.*)$/.exec(line);
  if (found === null) return undefined;
  const [, given = "", data = ""] = found;
  const properties = new Map(given.split(",").map((pair) => parseProperty(pair)));
  const message = decoded(data);
  if (isStepFailed(message)) return undefined;
  const title = properties.get("title");
  const number = Number(properties.get("line"));
  return annotationDraft(
    {
      path: properties.get("file") ?? "",
      level: "failure",
      message,
      title,
      line: Number.isSafeInteger(number) && number > 0 ? number : undefined,
    },
    roots,
  );
}

function parseProperty(pair: string): readonly [name: string, value: string] {
  const at = pair.indexOf("=");
  return [pair.slice(0, Math.max(0, at)).trim(), decoded(pair.slice(at + 1))];
}

const ESCAPES: Readonly<Record<string, string>> = { "0D": "\r", "0A": "\n", "25": "%", "3A": ":", "2C": "," };

/** A workflow command's data or property without its escapes (actions/toolkit, `escapeData` and `escapeProperty`). */
function decoded(data: string): string {
  return data.replace(/%(0D|0A|25|3A|2C)/g, (whole, code: string) => ESCAPES[code] ?? whole);
}

function errorDraft(line: string): Draft | undefined {
  const message = line.startsWith("##[error]") ? line.slice("##[error]".length).trim() : "";
  if (message === "" || isStepFailed(message)) return undefined;
  return { tool: "github actions", severity: "high", category: "unknown", message };
}
