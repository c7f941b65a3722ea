import { expect, test } from "vitest";
import { wholeWords } from "../src/text.ts";

test.for([
  ["git status", 20, "git status"],
  ["curl -H token-4711 example.com", 30, "curl -H token-4711 example.com"],
  ["curl -H token-4711 example.com", 12, "curl -H …"],
  ["curl -H token-4711 example.com", 18, "curl -H token-4711 …"],
  ["curl -H token-4711 example.com", 17, "curl -H …"],
  ["token-4711", 5, " …"],
] as const)("the beginning of %j in %i characters has whole words alone", ([text, limit, cut]) => {
  expect(wholeWords(text, limit)).toBe(cut);
});
