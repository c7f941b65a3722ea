import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorCode, errorMessage } from "@loopdash/values";
import { CommandClassifier } from "../../audit/mutating.ts";
import { withoutSecrets } from "../../audit/without-secrets.ts";
import type { HookPayload } from "../../hooks/hook-payload.ts";
import { appendLine, reportLines } from "./hook-report.ts";

/** Bytes of a file from which on only its last lines are kept, and how many. */
const MOST_BYTES = 10_000_000;
const KEPT_LINES = 1_000;
/** Characters of a command that are searched for secrets, and that are kept. */
const SEARCHED = 20_000;
const SHOWN = 2_000;

/** Appends a line for each command of a tool that may have changed something. Gives the reason if that fails. */
export function appendAudit(file: string, payload: HookPayload, now: Date): string | undefined {
  const { tool, commands = [], exit = null, folder = "" } = payload;
  const cwd = resolve(payload.cwd, folder);
  const classifier = new CommandClassifier();
  for (const command of commands) {
    if (classifier.classify(command) === "reading") continue;
    const shown = withoutSecrets(command.slice(0, SEARCHED)).slice(0, SHOWN);
    const problem = appendKept(file, { ts: now.toISOString(), tool, command: shown, exit_code: exit, cwd });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Appends a line to a file for this user alone, which is kept small. Gives the reason if that fails. */
export function appendKept(file: string, line: object): string | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const problem = appendLine(file, line);
    if (problem !== undefined || statSync(file).size <= MOST_BYTES) return problem;
    const draft = `${file}.${randomUUID()}`;
    writeFileSync(
      draft,
      reportLines(file, MOST_BYTES)
        .slice(-KEPT_LINES - 1)
        .join("\n"),
      { mode: 0o600, flag: "wx" },
    );
    renameSync(draft, file);
    return undefined;
  } catch (error) {
    return errorCode(error) ?? errorMessage(error);
  }
}
