import { writeSync } from "node:fs";
import { errorCode, errorMessage, plainText } from "../domain/values/text.ts";
import type { UserError } from "../domain/values/user-error.ts";

/** Writes a user's error as what / why / what to do; a list of problems keeps its lines. */
export function printUserError(error: UserError): void {
  const lines = [`loopdash: ${error.what}`, ...indent("why: ", error.why), ...indent("do:  ", error.todo)];
  writeAll(2, `${lines.map((line) => plainText(line)).join("\n")}\n`);
}

/** One line beside the output of a verb, on stderr; nothing for undefined. */
export function writeNote(text: string | undefined): void {
  if (text !== undefined) writeAll(2, `loopdash: ${plainText(text)}\n`);
}

/** Defects of loopdash itself: one line, no stack trace unless LOOPDASH_DEBUG is set. */
export function printDefect(error: unknown): void {
  const text = errorMessage(error);
  writeAll(
    2,
    `loopdash: ${plainText(text)}\n  why: this should not happen; it is a defect of loopdash\n  do:  set LOOPDASH_DEBUG=1 for the details and report it\n`,
  );
  if (process.env.LOOPDASH_DEBUG && error instanceof Error) writeAll(2, `${error.stack}\n`);
}

function indent(label: string, text: string): string[] {
  return text.split("\n").map((line, i) => `  ${i === 0 ? label : "     "}${line}`);
}

/** Synchronous, so that no output is lost when the process ends. A closed reader is not an error here. */
export function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const code = errorCode(error);
      if (code === "EAGAIN") continue;
      // EIO: the terminal is gone.
      if (code === "EPIPE" || code === "EBADF" || code === "EIO") return;
      // A message on stderr, which may be a log on a full disk, is lost: the run that it is about is worth more.
      if (fd === 2 && (code === "ENOSPC" || code === "EDQUOT")) return;
      throw error;
    }
  }
}
