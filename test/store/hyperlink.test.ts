import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { hyperlink, linkStart } from "../../src/store/hyperlink.ts";
import { withLinks } from "../../src/store/links.ts";

describe("a hyperlink of a terminal", () => {
  test("has its text between the two sequences of OSC 8, and is as wide as its text", () => {
    const link = hyperlink("T-1", "https://tracker.example/T-1");
    expect(link).toBe("\u001b]8;;https://tracker.example/T-1\u0007T-1\u001b]8;;\u0007");
    expect(stringWidth(link)).toBe(3);
  });

  test.each([
    "https://x.example/\u0007\u001b]0;owned\u0007",
    "https://x.example/\u001b\\\u001b[2J",
    "https://x.example/\u009c\u009b31m",
    "https://x.example/\u007f \t\r\n",
    "https://x.example/größe\u202e\ud800",
  ])("is in printable ASCII, whatever its address is: %j", (url) => {
    expect(linkStart(url)).toMatch(/^\u001b\]8;;[!-~]+\u0007$/);
  });
});

describe("links in a text", () => {
  const t1 = { text: "T-1", url: "https://x.example/1" };
  const sha = { text: "abc1234", url: "https://x.example/c" };

  test("stand where their texts stand first", () => {
    expect(withLinks("  ✔ T-1  fix T-1  abc1234  1 attempt", [t1, undefined, sha])).toEqual([
      "  ✔ ",
      t1,
      "  fix T-1  ",
      sha,
      "  1 attempt",
    ]);
    expect(withLinks("T-1", [t1])).toEqual([t1]);
  });

  test("are no parts of longer words, and none if the text is not there", () => {
    expect(withLinks("T-10 XT-1 T-1-a", [t1])).toEqual(["T-10 XT-1 T-1-a"]);
    expect(withLinks("T-10 then T-1.", [t1])).toEqual(["T-10 then ", t1, "."]);
    expect(withLinks("", [t1])).toEqual([]);
  });
});
