import { describe, expect, test } from "vitest";
import { parseBatch } from "../../oracle/batch.ts";
import { ticketIdOf } from "../../oracle/shape.ts";

const EMBEDDED = { kind: "embedded", file: "/t.json" };
const batch = (over: object = {}) => ({ version: 1, tracker: EMBEDDED, tickets: ["A", "B"], ...over });
const problemOf = (value: unknown) => {
  try {
    return parseBatch(typeof value === "string" ? value : JSON.stringify(value));
  } catch (cause) {
    expect(cause).toMatchObject({ name: "CannotJudge" });
    return (cause as Error).message;
  }
};

describe("the batch that is judged", () => {
  test("is read as it is", () => {
    expect(parseBatch(JSON.stringify(batch()))).toStrictEqual({ tracker: EMBEDDED, tickets: ["A", "B"] });
    const folder = { kind: "folder", folder: "/t" };
    expect(parseBatch(JSON.stringify(batch({ tracker: folder, tickets: [] })))).toStrictEqual({ tracker: folder, tickets: [] });
  });

  test.each<[unknown, string]>([
    ["{", "the batch is not JSON: it is damaged or only partly written"],
    [null, "the batch is not an object"],
    [[], "the batch is not an object"],
    [7, "the batch is not an object"],
    [{ version: 1, tracker: EMBEDDED }, 'the batch has no "tickets"'],
    [{ version: 1, tickets: [] }, 'the batch has no "tracker"'],
    [{ tracker: EMBEDDED, tickets: [] }, 'the batch has no "version"'],
    [batch({ done: true }), 'the batch has an unknown key "done"'],
    [batch({ version: 2 }), "the batch is of another version than 1"],
    [batch({ version: "1" }), "the batch is of another version than 1"],
    [batch({ tickets: "A" }), "the batch's list of tickets is not a list"],
    [batch({ tickets: { 0: "A" } }), "the batch's list of tickets is not a list"],
    [batch({ tickets: ["A", 7] }), "ticket 2 of the batch is not a text"],
    [batch({ tickets: ["A", "a b"] }), 'ticket 2 of the batch is not a ticket id: "a b"'],
    [batch({ tracker: null }), "the batch's tracker is not an object"],
    [batch({ tracker: "embedded" }), "the batch's tracker is not an object"],
    [batch({ tracker: { file: "/t" } }), 'the batch\'s tracker has no "kind"'],
    [batch({ tracker: { kind: "cloud" } }), 'the batch\'s tracker is of an unknown kind: "cloud"'],
    [batch({ tracker: { ...EMBEDDED, url: "x" } }), 'the batch\'s tracker has an unknown key "url"'],
    [batch({ tracker: { ...EMBEDDED, folder: "/t" } }), 'the batch\'s tracker has an unknown key "folder"'],
    [batch({ tracker: { kind: "embedded" } }), 'the batch\'s tracker has no "file"'],
    [batch({ tracker: { kind: "folder", folder: "/t", file: "/t" } }), 'the batch\'s tracker has an unknown key "file"'],
    [batch({ tracker: { kind: "folder" } }), 'the batch\'s tracker has no "folder"'],
    [batch({ tracker: { kind: "folder", folder: 7 } }), "the tracker's path is not a text"],
    [batch({ tracker: { kind: "embedded", file: "t.json" } }), "the tracker's path is not absolute"],
  ])("%j: %s", (value, problem) => {
    expect(problemOf(value)).toBe(problem);
  });

  test("damage keeps its cause", () => {
    expect(() => parseBatch("{")).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) as Error }));
  });
});

describe("a ticket id", () => {
  test.each(["A", "7", "a-b_c.d", "A-", "A.B.C", "x".repeat(64), "a.lock.b", "lock", ".lockx".slice(1)])("%s is one", (id) => {
    expect(ticketIdOf(id, "it")).toBe(id);
  });

  test.each(["", "-a", ".a", "_a", "a b", "a/b", "a..b", "a.", "a.lock", "a.LOCK", "é", "a\n", " a", "x".repeat(65)])(
    "%j is none",
    (id) => {
      expect(() => ticketIdOf(id, "it")).toThrow(`it is not a ticket id: ${JSON.stringify(id)}`);
    },
  );

  test("a long one is shown in part", () => {
    expect(() => ticketIdOf("x".repeat(100), "it")).toThrow(
      expect.objectContaining({ message: `it is not a ticket id: "${"x".repeat(80)}"` }),
    );
  });
});
