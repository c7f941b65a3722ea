import { describe, expect, test } from "vitest";
import { parseListing } from "../../oracle/listing.ts";

const T1 = { id: "T-1", title: "One", body: "", state: "open" };
const GATED = { id: "T-2", title: "Two", body: "b", state: "human-gated", step: " press it " };
const listing = (...lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const read = (text: string) => parseListing(text, "the listing");

test("a listing is read as it is, in its order, with every optional key", () => {
  const more = { repo: "app", dependsOn: ["T-1"], exclusive: ["x"], url: "https://example.com/1", version: "7" };
  expect(read(listing({ ...T1, state: "Done " }, { ...GATED, ...more }, { tickets: 2 }))).toEqual([
    { id: "T-1", state: "Done " },
    { id: "T-2", state: "human-gated", step: "press it" },
  ]);
  expect(read(listing({ tickets: 0 }))).toEqual([]);
});

describe("a listing cannot be judged by", () => {
  test.each<[what: string, text: string, why: RegExp]>([
    ["that is empty", "", /is not JSON/],
    ["without its last line", listing(T1), /has no "tickets"|unknown key/],
    ["whose last line is cut off", listing(T1, { tickets: 1 }).slice(0, -1), /its last line has no end/],
    ["whose ticket is cut off", listing(T1, { tickets: 1 }).slice(3), /line 1 of the listing is not JSON/],
    ["that lacks a ticket", listing(T1, { tickets: 2 }), /has 1 tickets, and its last line says 2/],
    ["whose number is a text", listing(T1, { tickets: "1" }), /its last line says "1"/],
    ["with a second end", listing(T1, { tickets: 1 }, { tickets: 2 }), /line 2 of the listing has an unknown key "tickets"/],
    ["with an unknown key", listing({ ...T1, done: true }, { tickets: 1 }), /unknown key "done"/],
    ["with a state that is no text", listing({ ...T1, state: ["done"] }, { tickets: 1 }), /state of line 1 .* is not a text/],
    ["with null for a step", listing({ ...T1, step: null }, { tickets: 1 }), /step of line 1 .* is not a text/],
    ["with an id that is none", listing({ ...T1, id: "../T-1" }, { tickets: 1 }), /is not a ticket id/],
    ["with a step of two lines", listing({ ...GATED, step: "a\nb" }, { tickets: 1 }), /is not one line/],
    ["with an empty line", `\n${listing({ tickets: 1 })}`, /line 1 of the listing is not JSON/],
  ])("one %s", (_, text, why) => {
    expect(() => read(text)).toThrow(why);
  });
});
