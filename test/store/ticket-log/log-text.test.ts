import { describe, expect, test } from "vitest";
import { createEventLineReader } from "../../../src/adapters/agent/registry.ts";
import { Finder, hitsIn } from "../../../src/store/ticket-log/find.ts";
import { MAX_CHARS, MAX_LINES } from "../../../src/store/ticket-log/line-ring.ts";
import { LINE_CHARS, LogText, type TextKind } from "../../../src/store/ticket-log/log-text.ts";
import { lastPosition, movedBy, positionWithin, rowsFrom, wrapText } from "../../../src/store/ticket-log/rows.ts";

function textOf(kind: TextKind, ...pieces: readonly string[]): LogText {
  const text = new LogText(kind, createEventLineReader);
  text.begin({ skipped: 0 });
  for (const piece of pieces) text.push(piece);
  return text;
}

function all(text: LogText, raw = false): readonly string[] {
  const { count, line } = text.lines(raw);
  return Array.from({ length: count }, (_, i) => line(i).text);
}

describe("a text that grows", () => {
  test("comes in pieces; the line under way is shown; a carriage return ends a line, a whole line end ends one", () => {
    expect(all(textOf("plain", "on", "e\r", "\ntwo\rthr", "ee\n\n fo"))).toEqual(["one", "two", "three", "", " fo"]);
    expect(all(textOf("plain", "one\n"))).toEqual(["one"]);
  });

  test("is safe to draw and keeps its indents", () => {
    const line = "\t\u001b[31mif\u001b[0m\t(a)  {\u0007\u202e \u001b]8;;http://x\u0007y  ";
    expect(all(textOf("plain", `${line}\n`))).toEqual(["    if  (a)  { y"]);
  });

  test("keeps the newest lines, by number and by size", () => {
    const many = textOf("plain", "x\n".repeat(MAX_LINES + 5));
    expect(many.lines(false)).toMatchObject({ first: 5, count: MAX_LINES });
    const long = textOf("plain", `${"y".repeat(8_000)}\n`.repeat(1_000));
    const { first, count } = long.lines(false);
    expect(count).toBe(Math.floor(MAX_CHARS / 8_000));
    expect(first + count).toBe(1_000);
  });

  test("shows the start of a line of ten megabytes, and how much more there is", () => {
    const text = new LogText("log");
    text.begin({ skipped: 0 });
    for (let i = 0; i < 160; i++) text.push("z".repeat(65_536));
    const [line = ""] = all(text);
    const rest = 160 * 65_536 - LINE_CHARS;
    expect(line).toBe(`${"z".repeat(LINE_CHARS)} … +${rest} characters`);
    text.push("\nnext");
    expect(all(text)).toEqual([line, "next"]);
  });

  test("begun again is another text; what was not read before it is marked", () => {
    const text = textOf("plain", "one\ntw");
    const before = text.lines(false).key;
    text.begin({ skipped: 9 });
    text.push("o\nthree\n");
    expect(all(text)).toEqual(["…o", "three"]);
    expect(text.lines(false).key).not.toBe(before);
  });

  test("is coloured as a change where it is one, and the sign stays", () => {
    const lines = textOf("diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\n").lines(false);
    expect(Array.from({ length: 6 }, (_, i) => lines.line(i).tone)).toEqual([
      "waiting",
      "waiting",
      "running",
      "bad",
      "good",
      "plain",
    ]);
    expect(lines.line(4).text).toBe("+new");
  });
});

describe("the events of agents", () => {
  const read = (...events: readonly object[]) => {
    const text = textOf("log", events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    return { lines: all(text), tokens: text.tokens };
  };

  test("a result of claude is an event, however little it tells", () => {
    const said = { type: "assistant", message: { content: [{ type: "text", text: "Done." }] } };
    const result = { type: "result", subtype: "success", is_error: false, result: "Done." };
    expect(read(said, result).lines).toEqual(["Done."]);
    expect(read(result).lines).toEqual(["Done."]);
    expect(read({ type: "result", is_error: true, result: "It broke." }).lines).toEqual(["✖ It broke."]);
  });

  test("claude", () => {
    const says = (...content: readonly object[]) => ({ type: "assistant", message: { content } });
    const usage = { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 4, cache_creation_input_tokens: 1 };
    expect(
      read(
        { type: "system", subtype: "init", model: "m" },
        says({ type: "text", text: "I look.\n  And see." }, { type: "tool_use", name: "Read", input: { file_path: "a.ts" } }),
        { type: "user", message: { content: [{ type: "tool_result", content: [{ type: "text", text: "1\n2\n3\n4" }] }] } },
        { type: "result", is_error: true, result: "no money", usage },
      ),
    ).toEqual({
      lines: [
        "· claude begins: m",
        "I look.",
        "  And see.",
        "▸ Read: a.ts",
        "  1",
        "  2",
        "  … +2 lines",
        "✖ no money",
        "· tokens: 10 in, 2 out, 5 from the cache",
      ],
      tokens: { input: 10, output: 2, cacheRead: 4, cacheWrite: 1 },
    });
  });

  test("codex", () => {
    const item = (type: string, options: object) => ({ type, item: options });
    expect(
      read(
        { type: "thread.started", thread_id: "1" },
        item("item.started", { type: "command_execution", command: "/bin/bash -lc 'npm test'" }),
        item("item.completed", { type: "command_execution", aggregated_output: "1 failed", exit_code: 1 }),
        item("item.completed", { type: "file_change", changes: [{ path: "a.ts" }, { path: "b.ts" }] }),
        item("item.completed", { type: "agent_message", text: "Done." }),
        { type: "turn.completed", usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 2 } },
      ).lines,
    ).toEqual(["▸ exec: npm test", "✖ 1 failed", "▸ edit: a.ts, b.ts", "Done.", "· tokens: 6 in, 2 out, 4 from the cache"]);
  });

  test("gemini: pieces of a message are joined as they were", () => {
    const says = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
    expect(
      read(
        { type: "message", role: "user", content: "Do it" },
        says("I lo"),
        says("ok \nat"),
        says(" it."),
        { type: "tool_use", tool_name: "run_shell_command", parameters: { command: "ls" } },
        says("All done."),
        { type: "result", status: "success", stats: { input_tokens: 100, cached: 40, output_tokens: 7 } },
      ),
    ).toEqual({
      lines: ["I look ", "at it.", "▸ run_shell_command: ls", "All done.", "· tokens: 60 in, 7 out, 40 from the cache"],
      tokens: { input: 60, output: 7, cacheRead: 40, cacheWrite: 0 },
    });
  });

  test("opencode: tokens of its steps add up", () => {
    const tokens = { input: 10, output: 2, reasoning: 3, cache: { read: 4, write: 5 } };
    const finish = { type: "step_finish", part: { reason: "stop", tokens } };
    expect(
      read(
        { type: "step_start", part: {} },
        { type: "text", part: { text: "I look." } },
        { type: "tool_use", part: { tool: "bash", state: { input: { command: "ls" }, output: "a" } } },
        finish,
        finish,
        { type: "error", error: { name: "APIError", data: { message: "no" } } },
      ),
    ).toEqual({
      lines: ["I look.", "▸ bash: ls", "  a", "✖ no"],
      tokens: { input: 20, output: 10, cacheRead: 8, cacheWrite: 10 },
    });
  });

  test("what is no event that is known stands as it is, and nothing is lost", () => {
    const lines = [
      "plain words",
      "{",
      "[1]",
      "null",
      '{"a":1}',
      '{"type":"text"}',
      '{"type":"message"}',
      '{"type":"tool_use"}',
      '{"type":"error"}',
      '{"type":"result"}',
      '{"type":"constructor"}',
      '{"type":"of-its-own","text":"x"}',
    ];
    expect(all(textOf("log", `${lines.join("\n")}\n`))).toEqual(lines);
    expect(all(textOf("log", `${lines.join("\n")}\n`), true)).toEqual(lines);
  });

  test("raw is what stands there", () => {
    const event = '{"type":"text","part":{"text":"I look."}}';
    const text = textOf("log", `${event}\nand words\n`);
    expect(all(text)).toEqual(["I look.", "and words"]);
    expect(all(text, true)).toEqual([event, "and words"]);
  });
});

describe("rows", () => {
  const rows = (text: string, columns: number) => wrapText(text, columns).map(({ from, to }) => text.slice(from, to));

  test("break behind a space that is near, else where the row is full; wide characters stay whole", () => {
    expect(rows("", 10)).toEqual([""]);
    expect(rows("aaaa bbbb cccc", 10)).toEqual(["aaaa bbbb ", "cccc"]);
    expect(rows("aaaa bbbbb cccc", 10)).toEqual(["aaaa bbbbb ", "cccc"]);
    expect(rows("a bbbbbbbbbbbbbb", 10)).toEqual(["a bbbbbbbb", "bbbbbb"]);
    expect(rows("鍵鍵鍵鍵", 5)).toEqual(["鍵鍵", "鍵鍵"]);
    expect(rows("鍵", 1)).toEqual(["鍵"]);
  });

  test("every row fits, and together they are the text", () => {
    for (const columns of [1, 7, 40, 200])
      for (const text of ["x".repeat(99), "a b ".repeat(30), `${"word ".repeat(9)}鍵鍵 ${"e\u0301".repeat(50)}`])
        expect(rows(text, columns).join("")).toBe(text);
  });

  test("are walked over one by one, and never beyond the ends", () => {
    const source = textOf("plain", "1\n2 2 2 2 2 2\n3\n4\n").lines(false);
    const room = { columns: 4, rows: 3, wrap: true };
    const end = lastPosition(source, room);
    expect(end).toEqual({ line: 1, row: 2 });
    let place = { line: 0, row: 0 };
    const seen = [];
    for (let i = 0; i < 5; i++) {
      place = movedBy(source, place, 1, room);
      seen.push(`${place.line}.${place.row}`);
    }
    expect(seen).toEqual(["1.0", "1.1", "1.2", "1.2", "1.2"]);
    expect(movedBy(source, end, -2, room)).toEqual({ line: 1, row: 0 });
    expect(movedBy(source, end, -99, room)).toEqual({ line: 0, row: 0 });
    expect(positionWithin(source, { line: 9, row: 9 }, room)).toEqual(end);
    expect(positionWithin(source, { line: 1, row: 9 }, { ...room, columns: 80, rows: 1 })).toEqual({ line: 1, row: 0 });
    expect(rowsFrom(source, { line: 1, row: 1 }, room).map(({ line }) => line)).toEqual([1, 1, 2]);
  });
});

describe("what is looked for", () => {
  test("capitals count where the needle has some; letters that change their length keep their places", () => {
    expect(hitsIn("Foo foo", "foo")).toHaveLength(2);
    expect(hitsIn("Foo foo", "Foo")).toEqual([{ from: 0, to: 3 }]);
    expect(hitsIn("İİ foo", "foo")).toEqual([{ from: 3, to: 6 }]);
    expect(hitsIn("x", "")).toEqual([]);
  });

  test("is found in what is new as well, also in a line that grows, and no more in what is let go", () => {
    const text = textOf("plain", "a\nneedle\nb need");
    const finder = new Finder("needle", text.lines(false).key);
    expect(finder.lines(text.lines(false))).toEqual([1]);
    text.push("le\n");
    expect(finder.lines(text.lines(false))).toEqual([1, 2]);
    text.push("needle\n");
    expect(finder.lines(text.lines(false))).toEqual([1, 2, 3]);
    text.push("x\n".repeat(MAX_LINES - 2));
    expect(finder.lines(text.lines(false))).toEqual([2, 3]);
    expect(finder.isFor("needle", text.lines(false))).toBe(true);
    text.begin({ skipped: 0 });
    expect(finder.isFor("needle", text.lines(false))).toBe(false);
  });
});
