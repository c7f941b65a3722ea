import { globSync } from "node:fs";
import type { ArgumentHandler } from "@bomb.sh/tab";
import tab from "@bomb.sh/tab/commander";
import { plainText } from "../../domain/values/text.ts";
import type { RunRow } from "../../ports/run-store.ts";
import { writeAll } from "../print.ts";
import { createProgram, type SHELLS } from "../program.ts";

/** The script for bash calls this function of bash-completion. Without it, bash's own words are used. */
const WORDS_OF_BASH = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
    }
fi
`;

/** Prints the script that a shell sources. */
export function completion(shell: (typeof SHELLS)[number]): number {
  if (shell === "bash") writeAll(1, WORDS_OF_BASH);
  tab(createProgram()).setup("loopdash", "loopdash", shell);
  return 0;
}

/** Prints the candidates for the last of the words after `loopdash`, one per line. */
export async function complete(words: readonly string[]): Promise<number> {
  const program = createProgram();
  const verbs = program.commands.map((command) => command.name());
  const root = tab(program);
  // The package's own verb for this; ours is hidden.
  root.commands.delete("complete");
  const rows = verbs.includes(words[0] ?? "") ? await recordedRuns() : [];
  const batches = offering(() => batchFiles(words.at(-1) ?? "").map((file) => [file, ""]));
  const handlers: Readonly<Record<string, ArgumentHandler>> = {
    "batch.json": batches,
    run: offering(() => rows.map(({ run, batchPath }) => [run, plainText(batchPath)])),
    verb: offering(() => verbs.map((verb) => [verb, ""])),
  };
  for (const command of root.commands.values())
    for (const [name, argument] of command.arguments) {
      const handler = handlers[name];
      if (handler !== undefined) argument.handler = handler;
    }
  root.argument("batch.json", batches);
  root.parse([...words]);
  return 0;
}

function offering(list: () => readonly (readonly [value: string, description: string])[]): ArgumentHandler {
  return (offer) => {
    for (const [value, description] of list()) offer(value, description);
  };
}

/**
 * JSON files that begin with the typed text, and those in folders that do. No folders, because a shell adds a space after a
 * candidate.
 */
function batchFiles(typed: string): readonly string[] {
  return globSync([`${typed}*.json`, `${typed}*/*.json`], { exclude: (path) => path.includes("node_modules") });
}

async function recordedRuns(): Promise<readonly RunRow[]> {
  try {
    return (await import("../find-run.ts")).withStore((store) => store.list());
  } catch {
    // No run yet, or unreadable records: a person who presses TAB gets no error.
    return [];
  }
}
