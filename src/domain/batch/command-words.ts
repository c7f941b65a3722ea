import type { Argv } from "./prepare-command.ts";

/** A part of a word: a quoted text, an escaped character, or one plain character. */
const PART = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\])/s;
const PARTS = new RegExp(PART, "gs");
const WORDS = new RegExp(`(?:${PART.source})+`, "gs");

/** What only a shell understands. */
const FOR_A_SHELL = /[|&;<>`]|\$[\w({]/;

/**
 * The words of a command as people type it. Quotes keep words together. No shell reads it, so what only a shell understands is
 * refused unless it is quoted.
 */
export function commandWords(text: string): { readonly value: Argv } | { readonly problem: string } {
  const typed = [...text.matchAll(WORDS)].map(([word]) => word);
  if (text.replaceAll(WORDS, "").trim() !== "") return { problem: "a quote is not closed" };
  const forShell = typed.find((word) =>
    FOR_A_SHELL.test(word.replaceAll(PARTS, (...[, , , , plain]: (string | undefined)[]) => plain ?? "")),
  );
  if (forShell !== undefined)
    return { problem: `${forShell} needs a shell, and no shell reads the command: put it into a script` };
  const words = typed.map((word) => word.replaceAll(PARTS, unquoted));
  const [program = ""] = words;
  if (/^\w+=/.test(program)) return { problem: `${program} sets a variable, which needs a shell: put it into a script` };
  return words.length === 0 || words.includes("") ? { problem: "a word of the command is empty" } : { value: words };
}

function unquoted(_: string, double?: string, single?: string, escaped?: string, plain?: string): string {
  return double?.replaceAll(/\\(["\\])/g, "$1") ?? single ?? escaped ?? plain ?? "";
}
