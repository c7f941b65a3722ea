import { describe, expect, it } from "vitest";
import { parseBatchFile } from "../../../src/domain/batch/parse.ts";
import { formatProblems } from "../../../src/domain/batch/problem.ts";
import { batchText, batchValue, told } from "./sample.ts";

describe("parseBatchFile", () => {
  it("takes comments, trailing commas, a byte order mark and CR LF", () => {
    const text = `\ufeff// plumbing\r\n{"name": "b", /* here */ "repos": {"app": {"path": "."},},\r\n"agent": {"kind": "command", "command": ["a",]},\r\n"tickets": [{"id": "T-1",},],}`;
    const parsed = parseBatchFile(text);
    expect(parsed.ok && parsed.file).toMatchObject({ name: "b", sandbox: "required", limits: { workers: 4, usdPerDay: 150 } });
    expect(parsed.ok && parsed.locate(["tickets", 0, "id"])).toEqual({ line: 4, column: 20 });
    expect(parsed.ok && parsed.locate(["agent", "command", 0])).toEqual({ line: 3, column: 42 });
    expect(parsed.ok && parsed.locate([])).toEqual({ line: 2, column: 1 });
  });

  it("takes a thousand tickets, for nothing that is closed counts as deep, and leaves a title as it is", () => {
    const tickets = Array.from({ length: 1_000 }, (_, i) => ({ id: `T-${i}`, title: "a\ufeffb", dependsOn: [] }));
    const parsed = parseBatchFile(batchText({ tickets }));
    expect(parsed.ok && parsed.file.tickets.map(({ id, title }) => ({ id, title, dependsOn: [] }))).toEqual(tickets);
  });

  it("points at a bracket of the wrong kind, square or curly", () => {
    expect(told('{"a": [1}')).toBe('batch.json:1:9  "}" stands here, but the "[" of line 1 is still open');
    expect(told('{"a": 1]')).toBe('batch.json:1:8  "]" stands here, but the "{" of line 1 is still open');
  });

  it("locates nothing that the file does not give", () => {
    const parsed = parseBatchFile(batchText({ repos: { app: { path: "a", prepare: [["npm", "ci"]] } } }));
    const prepare = ["repos", "app", "prepare"];
    expect(parsed.ok && parsed.locate([...prepare, 0, 1])).toBeDefined();
    const elements = [
      [...prepare, 1],
      [...prepare, "npm"],
    ];
    const others = [["limits"], ["tickets", 1], ["tickets", 0, "body"], ["name", "x"], ["repos", 0], ["constructor"]];
    for (const path of [...elements, ...others]) {
      expect(parsed.ok && parsed.locate(path)).toBeUndefined();
    }
  });

  it("takes no number that is too large to be one", () => {
    const text = batchText({ limits: { minutesPerAttempt: 60 } }).replace(":60}", ":1e999}");
    expect(told(text)).toMatch(/limits\.minutesPerAttempt must be a number above 0 and at most 10080, not one that large$/);
  });

  it("refuses keys that are given twice, at any depth", () => {
    const text = batchText().replace('"path":"../app"', '"path":"../app",\n"path":"../evil"').replace(/}$/, ',\n"name":"c"}');
    expect(told(text)).toBe(
      'batch.json:2:1  repos.app: the key "path" is given twice; the first is on line 1\n' +
        'batch.json:3:1  the key "name" is given twice; the first is on line 1',
    );
  });

  it("refuses them in lists as well", () => {
    const text = '{"tickets": [{"id": "A", "title": "a"}, {"id": "B", "title": "b", "title": "c", "__proto__": {}}]}';
    expect(told(text).split("\n").slice(-2)).toEqual([
      'batch.json:1:67  tickets[1]: the key "title" is given twice; the first is on line 1',
      'batch.json:1:81  tickets[1]: unknown key "__proto__"',
    ]);
  });

  it("is not taken in by keys that every object has", () => {
    const text = batchText()
      .replace(/^\{/, '{"__proto__": {"name": "evil"}, "constructor": 1, ')
      .replace('"app":', '"__proto__": {"path":"x"}, "app":');
    const parsed = parseBatchFile(text);
    expect(parsed.ok ? [] : parsed.problems.map((p) => p.message)).toEqual([
      'unknown key "__proto__"',
      'unknown key "constructor"',
      'unknown key "__proto__"',
    ]);
    expect(({} as { name?: unknown }).name).toBeUndefined();
  });

  it("points at the key that is wrong, and at what lacks one", () => {
    const text = JSON.stringify(
      batchValue({ repos: { "a b": { path: "." }, app: { base: "x" } }, sandboxPolicy: { hosts: { "a/b": [] } } }),
      null,
      2,
    );
    expect(told(text).split("\n")).toEqual([
      expect.stringMatching(/^batch\.json:4:5 {2}repos: "a b" cannot name a branch/),
      expect.stringMatching(/^batch\.json:7:12 {2}repos\.app\.path is missing/),
      expect.stringMatching(/^batch\.json:26:7 {2}sandboxPolicy\.hosts: use 1 to 40 letters/),
    ]);
  });

  it("reports everything at once, by place, and shows the first 20", () => {
    const tickets = Array.from({ length: 30 }, (_, i) => ({ id: `T-${i}`, title: i, body: 3 }));
    const parsed = parseBatchFile(JSON.stringify(batchValue({ tickets }), null, 1));
    const problems = parsed.ok ? [] : parsed.problems;
    expect(problems).toHaveLength(60);
    const lines = problems.map((p) => p.line ?? 0);
    expect(lines).toEqual(lines.toSorted((a, b) => a - b));
    const shown = formatProblems("b.json", problems).split("\n");
    expect(shown).toHaveLength(21);
    expect(shown.at(-1)).toBe("and 40 more");
  });

  it("shows no control character of the file to the terminal, and no endless line", () => {
    const text = batchText({
      ["\u001b]0;x\u0007\u202e"]: 1,
      sandbox: "\u001b[31m",
      tickets: [{ id: `\u009b${"x".repeat(100_000)}` }],
    });
    const said = told(text);
    expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    for (const line of said.split("\n")) expect(line.length).toBeLessThanOrEqual(500);
  });
});

describe("formatProblems", () => {
  it("is safe whatever the names are", () => {
    const problems = [
      { line: 1, column: 1, path: "a\u001b[31m", message: "b\u0007".repeat(1_000), hint: "c\n" },
      { file: "x\u009bm.md", path: "", message: "d" },
    ];
    const said = formatProblems("e\u001b]0;f\u0007\n.json", problems).split("\n");
    expect(said).toEqual([expect.stringMatching(/^e \.json:1:1 {2}a: b{100,}…$/), "x.md  d"]);
  });
});
