import { scriptRunBy, scriptText } from "../compare/scripts.ts";
import { commandsIn } from "./command-words.ts";
import { RUNNERS, type TestRunner } from "./runners.ts";

/** A runner, and the words of the command that starts it. */
export interface FoundRunner {
  readonly runner: TestRunner;
  readonly words: readonly string[];
}

/** Levels of scripts that run another script, at most. */
const MAX_DEPTH = 4;

/** The runners that a command starts by its words, one after another, also through a shell and through scripts of a package.json. */
export function findRunners(command: readonly string[], packageJson?: string, depth = 0): readonly FoundRunner[] {
  return commandsIn(command).flatMap((words) => {
    const runner = RUNNERS.find((each) => each.isStartedBy(words));
    if (runner !== undefined) return [{ runner, words }];
    const script = scriptRunBy(words);
    const text = script === undefined || depth >= MAX_DEPTH ? undefined : scriptText(packageJson, script.script);
    if (text === undefined) return [];
    const more = words.includes("--") ? words.slice(words.indexOf("--") + 1) : [];
    return findRunners(["sh", "-c", [text, ...more].join(" ")], packageJson, depth + 1);
  });
}
