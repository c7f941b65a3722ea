import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parseBlocker, parseDiscovery } from "../../../src/domain/outbox/parse.ts";
import { plainText } from "../../../src/domain/values/text.ts";

const BLOCKER = {
  claim: "the plan cannot be applied",
  wall: "the account's quota, which the cloud team owns",
  evidence: [{ command: ["terraform", "apply"], exitCode: 1, output: "QuotaExceeded" }],
  tried: "a smaller instance",
  humanStep: "Raise the quota of account 42 to 8",
};
const blocker = (over: object) => parseBlocker(JSON.stringify({ ...BLOCKER, ...over }));
const why = (read: ReturnType<typeof parseBlocker> | ReturnType<typeof parseDiscovery>) => (read.ok ? "read" : read.why);

describe("a claimed blocker", () => {
  it("is read as it is written", () => {
    expect(blocker({})).toEqual({ ok: true, value: BLOCKER });
    expect(parseBlocker(`\ufeff${JSON.stringify(BLOCKER)}`)).toMatchObject({ ok: true });
  });

  it.each([
    ["no evidence", { evidence: [] }, "evidence must not be empty"],
    [
      "a shell line as a command",
      { evidence: [{ command: "curl https://x", exitCode: 7, output: "" }] },
      'evidence[0].command must be a list of texts, not "curl https://x" (write ["curl", "https://x"])',
    ],
    [
      "no exit code",
      { evidence: [{ command: ["x"], output: "" }] },
      "evidence[0].exitCode is missing (the exit code that it ended with)",
    ],
    [
      "an exit code that there is not",
      { evidence: [{ command: ["x"], exitCode: 256, output: "" }] },
      "evidence[0].exitCode must be a whole number from 0 to 255, not 256",
    ],
    [
      "a NUL in a word",
      { evidence: [{ command: ["x", "a\0b"], exitCode: 1, output: "" }] },
      "evidence[0].command[1] must hold no NUL character",
    ],
    ["a step of more than one line", { humanStep: "Log in\nthen go" }, "humanStep: one line of plain text"],
    ["a step that rings a terminal's bell", { humanStep: "Log in\x07" }, "humanStep: one line of plain text"],
    ["a step that is nothing to be seen", { humanStep: "\u200b\u202e" }, "humanStep: say the exact step that is left"],
    ["a list of what was tried", { tried: ["all"] }, "tried must be text of 1 to 4000 characters, not a list"],
    ["a key that is not its own", { approved: true }, 'unknown key "approved"'],
    ["more commands than five", { evidence: Array(6).fill(BLOCKER.evidence[0]) }, "evidence"],
  ])("with %s is refused, and told how it is meant", (_, over, told) => {
    expect(why(blocker(over))).toContain(told);
  });

  it("keeps of its step what a terminal would show", () => {
    const read = blocker({ humanStep: "Log in\u202e to\u200b prod" });
    expect(read.ok && read.value.humanStep).toBe("Log in to prod");
    const bare = blocker({ humanStep: "\u200b Log in \u200b" });
    expect(bare.ok && bare.value.humanStep).toBe("Log in");
  });
});

describe("a discovery", () => {
  it("is read with what it leaves out", () => {
    const read = parseDiscovery('{"title": " Mend the clock ", "reason": "it is late"}');
    expect(read).toEqual({ ok: true, value: { title: "Mend the clock", body: "", blocks: false, reason: "it is late" } });
  });

  it.each([
    ["not an object", "[]", "must be an object in braces, not a list"],
    ["not JSON", "{title: 1}", "is not valid JSON"],
    ["nothing at all", "", "is not valid JSON"],
    ["an id of its own", '{"title":"a","reason":"b","id":"T-1"}', 'unknown key "id"'],
    ["a finish line of its own", '{"title":"a","reason":"b","finish":[]}', 'unknown key "finish"'],
    ["a repository by its path", '{"title":"a","reason":"b","repo":"../x"}', "cannot name a branch"],
    ["a prototype", '{"title":"a","__proto__":{"reason":"b"}}', "reason is missing"],
  ])("that is %s is refused", (_, text, told) => {
    expect(why(parseDiscovery(text))).toContain(told);
  });

  it("keeps within its words the sign that may stand before a file", () => {
    expect(parseDiscovery('{"title":"a\ufeffb","reason":"c"}')).toMatchObject({ ok: true, value: { title: "a\ufeffb" } });
  });

  it("tells a mistake with its place and how it is meant, where there is a place and a hint", () => {
    expect(why(parseDiscovery("[]"))).toBe("must be an object in braces, not a list");
    expect(why(parseDiscovery('{"title":"a","reason":"b","blocks":"yes"}'))).toBe('blocks must be true or false, not "yes"');
    expect(why(parseDiscovery('{"title":1,"reason":"b"}'))).toBe("title must be text of 1 to 200 characters, not 1");
    expect(why(parseDiscovery('{"title":"a","reason":"b","bloks":true}'))).toMatch(/^unknown key "bloks" \(.*blocks.*\)$/);
  });

  it("tells three mistakes and counts the rest", () => {
    const each = (text: string) => why(parseDiscovery(text)).split("; ");
    expect(each('{"title":1,"body":2,"reason":5}').map((one) => one.split(" ")[0])).toEqual(["title", "body", "reason"]);
    expect(each('{"title":1,"body":2,"repo":3,"blocks":4,"reason":5}')).toHaveLength(4);
    expect(why(parseDiscovery('{"title":1,"body":2,"repo":3,"blocks":4,"reason":5}'))).toMatch(/^title must .*; and 2 more$/);
  });
});

test.each([
  ["deep lists", "[".repeat(100_000)],
  ["deep lists that close", "[".repeat(50_000) + "]".repeat(50_000)],
  ["a deep title", `{"title":${"[".repeat(50_000)}${"]".repeat(50_000)},"reason":"x"}`],
  ["deep objects", '{"a":'.repeat(50_000)],
])("%s are harmless", (_, text) => {
  expect(parseDiscovery(text)).toEqual({ ok: false, why: "nests more than 64 deep" });
  expect(parseBlocker(text)).toEqual({ ok: false, why: "nests more than 64 deep" });
});

test("whatever the text, it is read or refused in one short line that a terminal shows as it is", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.json().map((json) => `{"title":${json}, "humanStep":${json}}`),
  );
  fc.assert(
    fc.property(texts, (text) => {
      for (const read of [parseBlocker(text), parseDiscovery(text)])
        if (!read.ok) expect(plainText(read.why, 600)).toBe(read.why);
    }),
  );
});
