import type { TestCommands } from "../domain/batch/prepare-command.ts";
import { testCommandSource } from "../domain/batch/test-command.ts";
import { plainText } from "../domain/values/text.ts";

/** The test commands that the default finish line runs, and where they were found, by repository. Safe for a terminal. */
export function testCommandTexts(testCommands: TestCommands): readonly string[] {
  return Object.entries(testCommands).map(([repo, command]) =>
    plainText(`${repo}: ${command.join(" ")} (found in ${testCommandSource(command)})`),
  );
}

/** The same as lines of a plan. */
export function testCommandLines(testCommands: TestCommands): readonly string[] {
  return testCommandTexts(testCommands).map((text) => `tests of ${text}`);
}
