import { readFileSync, readlinkSync } from "node:fs";
import { EXIT, UserError } from "../domain/values/user-error.ts";
import { SMALLEST_TERMINAL } from "../store/terminal-capabilities.ts";

/** True if a dashboard can be shown: the terminal is writable and readable, and not a dumb one. */
export function isInteractive(): boolean {
  return Boolean(process.stdout.isTTY && process.stdin.isTTY) && process.env.TERM !== "dumb" && !process.env.CI;
}

/** Throws a UserError (exit 2) if the terminal is too small. `instead`: what shows the run without a dashboard. */
export function refuseSmallTerminal(instead: string): void {
  const { columns = 0, rows = 0 } = process.stdout;
  if (columns >= SMALLEST_TERMINAL.columns && rows >= SMALLEST_TERMINAL.rows) return;
  throw new UserError({
    what: "the terminal is too small for the dashboard",
    why: `it has ${columns} columns and ${rows} rows; ${SMALLEST_TERMINAL.columns} and ${SMALLEST_TERMINAL.rows} are needed`,
    todo: `Make it larger, or use ${instead}.`,
    exitCode: EXIT.usage,
  });
}

/**
 * Throws a UserError (exit 2) if the caller closed standard output. Node then opens /dev/null for reading and writing in its
 * place. A caller who redirects to /dev/null opens it for writing only, which is fine.
 */
export function refuseClosedStdout(): void {
  if (process.platform !== "linux" || readlinkSync("/proc/self/fd/1") !== "/dev/null") return;
  const flags = /^flags:\s+(\d+)/m.exec(readFileSync("/proc/self/fdinfo/1", "utf8"))?.[1] ?? "0";
  const accessMode = Number.parseInt(flags, 8) & 0o3;
  if (accessMode === 2) throw closedStdout("it was closed before loopdash started");
}

/** The refusal to run without an output. */
export function closedStdout(why: string): UserError {
  const todo = "Redirect the output to a file or to /dev/null, or use --detach.";
  return new UserError({ what: "nothing can be written to standard output", why, todo, exitCode: EXIT.usage });
}
