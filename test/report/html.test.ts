import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutTo, percent } from "../../src/report/format.ts";
import { html, lines, link } from "../../src/report/html.ts";
import { HOSTILE } from "./pages.ts";

describe("a piece of HTML", () => {
  test("escapes text and leaves pieces as they are", () => {
    const piece = html`<b>${"<i>"}</b>`;
    expect(piece.text).toBe("<b>&lt;i&gt;</b>");
    expect(html`<p title="${`"'&`}">${[piece, 7, undefined, "a<"]}</p>`.text).toBe(
      `<p title="&quot;&#39;&amp;"><b>&lt;i&gt;</b>7a&lt;</p>`,
    );
  });

  test("an object that only looks like a piece is no piece", () => {
    const forged = JSON.parse(`{"text": "<script>"}`) as string;
    expect(() => html`${forged}`.text).toThrow(TypeError);
  });

  test.each(HOSTILE)("%j stands in an attribute and in an element without becoming either", (text) => {
    const escaped = html`${text}`.text;
    expect(escaped).not.toMatch(/[<>"']/);
    expect(escaped).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39);)/);
    expect(escaped).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });

  test("whatever the text is, it holds no markup, and reads as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
        const escaped = html`${text}`.text;
        const read = escaped
          .replaceAll("&lt;", "<")
          .replaceAll("&gt;", ">")
          .replaceAll("&quot;", '"')
          .replaceAll("&#39;", "'")
          .replaceAll("&amp;", "&");
        expect(escaped).not.toMatch(/[<>"']/);
        expect(read).toBe(text);
      }),
    );
  });

  test("lines stay lines", () => {
    expect(lines(["<a>", "b"]).text).toBe("&lt;a&gt;\nb");
  });
});

describe("what leads to an address", () => {
  test("is opened without the page that it was on", () => {
    expect(link(html`T-1`, "https://x.example/?a=1&b").text).toBe(
      '<a href="https://x.example/?a=1&amp;b" rel="noopener noreferrer">T-1</a>',
    );
    expect(link(html`r`, "file:///state/runs/r").text).toContain('href="file:///state/runs/r"');
  });

  test.each([
    undefined,
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>",
    "vbscript:x",
    "blob:https://x.example/1",
    "#top",
    "/etc/passwd",
    "",
  ])("is its content alone for %j", (url) => {
    expect(link(html`<b>${"<T>"}</b>`, url).text).toBe("<b>&lt;T&gt;</b>");
  });

  test.each(HOSTILE)("an address with %j in it stays one attribute", (text) => {
    const { text: piece } = link(html`T-1`, `https://x.example/${text}`);
    expect(piece).toMatch(/^<a href="[^"<>\u0000-\u0020\u007f-\u{10ffff}]*" rel="noopener noreferrer">T-1<\/a>$/u);
  });
});

describe("words", () => {
  test.each([
    ["short", 10, "short"],
    ["exactly-10", 10, "exactly-10"],
    ["eleven-long", 10, "eleven-lo…"],
    ["署名鍵を毎週", 8, "署名鍵…"],
  ])("%s in %i columns is %s", (text, most, cut) => {
    expect(cutTo(text, most)).toBe(cut);
  });

  test("a percentage has at most three decimals", () => {
    expect([percent(1 / 3), percent(1), percent(0)]).toEqual(["33.333%", "100%", "0%"]);
  });
});
