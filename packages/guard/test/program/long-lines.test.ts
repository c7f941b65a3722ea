import { describe, expect, test } from "vitest";
import { guardCheck } from "../../src/program/check-command.ts";
import { hook } from "../../src/program/hook/hook.ts";

const CHARS = 300_000;
const repeated = (text: string): string => text.repeat(Math.ceil(CHARS / text.length));

/** Each took between some seconds and an hour. */
const HOSTILE: Readonly<Record<string, string>> = {
  pipes: `${repeated("a|")}a`,
  "nested substitutions": `echo ${"$(".repeat(CHARS / 3)}a${")".repeat(CHARS / 3)}`,
  "arithmetic that stays open": repeated("$(("),
  "blank lines for a database": `redis-cli <<E\n${repeated("\n")}E`,
  "blanks for an editor": `vim -c '${repeated(" ")}' f`,
  "code that prints": `python3 -c '${repeated("print ")}'`,
  "wrapped wrappers": `${repeated("sudo ")}ls`,
  "loops in loops": "for i in {1..30}; do for j in {1..30}; do for k in {1..30}; do a=$a$a$i; echo $a; done; done; done",
};

const HARMLESS: Readonly<Record<string, string>> = {
  "a file of lines": `cat > notes.md <<'E'\n${repeated('- a line | of a table | it\'s "quoted"\n')}E`,
  "a file of code": `cat > a.js <<'E'\n${repeated("export const a = (b) => b && c || `d`;\n")}E`,
  "a word": `echo ${repeated("YWJj")} | base64 -d > a.bin`,
};

const alone = () => ({ stateFolder: "/nowhere", unfinished: async () => ({ failed: [], late: [] }) });

const caller = (printed: string[], input = "") =>
  ({
    cwd: "/work",
    env: { HOME: "/home" },
    print: (_: number, text: string) => printed.push(text),
    input: async () => input,
  }) as never;

describe("a line of 300,000 characters", () => {
  test.for(Object.entries(HOSTILE))("of %s is blocked, as one that cannot be read", ([, line]) => {
    const printed: string[] = [];
    expect(guardCheck({ json: true, words: [line] }, caller(printed))).toBe(2);
    expect(printed.join("")).toContain('"rule":"unreadable"');
  });

  test.for(Object.entries(HARMLESS))("of %s is allowed", ([, line]) =>
    expect(guardCheck({ json: true, words: [line] }, caller([]))).toBe(0),
  );

  test.for(["pipes", "blank lines for a database", "code that prints"])(
    "of %s is blocked by the hook of a program, too",
    async (name) => {
      const payload = { cwd: "/work", tool_name: "Bash", tool_input: { command: HOSTILE[name] } };
      const printed: string[] = [];
      const code = await hook(["before-tool", "--agent", "claude"], caller(printed, JSON.stringify(payload)), alone);
      expect([code, printed.join("")]).toEqual([2, expect.stringContaining("unreadable")]);
    },
  );
});
