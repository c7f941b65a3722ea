import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutTo, percent } from "../../src/report/format.ts";
import { html, lines } from "../../src/report/html.ts";
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
