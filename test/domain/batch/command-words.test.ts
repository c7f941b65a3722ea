import { describe, expect, test } from "vitest";
import { commandWords } from "../../../src/domain/batch/command-words.ts";

describe("commandWords", () => {
  test.for<[typed: string, words: readonly string[]]>([
    ["npm test", ["npm", "test"]],
    ["  make   check  ", ["make", "check"]],
    [`node --test "a b.mjs" 'c d'`, ["node", "--test", "a b.mjs", "c d"]],
    [String.raw`run a\ b --x="say \"hi\""`, ["run", "a b", '--x=say "hi"']],
    ["sh -c 'npm ci && npm test'", ["sh", "-c", "npm ci && npm test"]],
    ["grep foo$", ["grep", "foo$"]],
  ])("reads %s", ([typed, words]) => {
    expect(commandWords(typed)).toEqual({ value: words });
  });

  test.for<[typed: string, problem: string]>([
    ["npm ci && npm test", "&& needs a shell, and no shell reads the command: put it into a script"],
    ["npm test > log", "> needs a shell, and no shell reads the command: put it into a script"],
    ["echo $HOME", "$HOME needs a shell, and no shell reads the command: put it into a script"],
    ["CI=1 npm test", "CI=1 sets a variable, which needs a shell: put it into a script"],
    ['npm "test', "a quote is not closed"],
    ["", "a word of the command is empty"],
    ["npm ''", "a word of the command is empty"],
  ])("refuses %s", ([typed, problem]) => {
    expect(commandWords(typed)).toEqual({ problem });
  });
});
