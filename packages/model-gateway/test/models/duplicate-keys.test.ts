import type { JsonObject } from "@loopdash/values";
import { readJson } from "@loopdash/values";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasNoDuplicateKeys } from "../../src/server/models/model-request.ts";
import { scratchFolder } from "../scratch.ts";
import { anthropicAnswer, ask, json, message, modelGateway, standIn } from "../stage.ts";

const folder = scratchFolder();
const IMAGE = '{"type":"image","source":{"type":"url","url":"https://evil.example"}}';
const isOnce = (text: string): boolean => hasNoDuplicateKeys(text, readJson(text) as JsonObject);

describe("a JSON text", () => {
  const key = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('"', "\\", '\\"', ":", '":', "__proto__", "toString"));
  const object = fc.dictionary(key, fc.jsonValue());

  it("says nothing twice, however it is written, unless it does", () => {
    fc.assert(
      fc.property(object, fc.constantFrom(0, 1, "\t", "\n\r "), fc.nat(), (value, indent, at) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(isOnce(text)).toBe(true);
        const names = [...text.matchAll(/\{/g)].map(({ index }) => index).filter((i) => isOnce(withAt(text, i, '"new":0,')));
        const place = names[at % Math.max(1, names.length)];
        // One more member of the same name, in front of one that there is or in an object that has none.
        if (place !== undefined) expect(isOnce(withAt(text, place, '"new" :0,"n\\u0065w":"x",'))).toBe(false);
      }),
    );
  });

  it.each([
    ["a value that begins with a colon", '{"a":":x"}', true],
    ["a value that begins with blanks and a colon", '{"a":" \\t:x","b":["  :"]}', true],
    ["a name that begins with a colon", '{":":1," :":{"::":2}}', true],
    ["a name that ends with a backslash", '{"a\\\\":1,"b":"\\\\"}', true],
    ["a name in a text", '{"a":"{\\"a\\":1,\\"a\\" : 2}","b":"\\\\\\":"}', true],
    ["a list of texts that look like names", '{"a":["b",":",": ","\\":"]}', true],
    ["a name twice", '{"a":1,"a":2}', false],
    ["a name twice, far from its colon", '{"a":1,"a" \t\r\n :2}', false],
    ["a name twice, once in escapes", '{"a":1,"\\u0061":2}', false],
    ["a name twice that ends with a backslash", '{"a\\\\":1,"a\\\\" :2}', false],
    ["a name twice, and a value that begins with a colon", '{"a":":","a":":"}', false],
    ["a name twice in a list in a list", '{"a":[[{"b":1,"b":1}]]}', false],
  ])("is seen through: %s", (_what, text, once) => {
    expect(isOnce(text)).toBe(once);
  });

  it("that is nested deeper than any request is not trusted", () => {
    expect(isOnce(`{"a":${"[".repeat(150)}${"]".repeat(150)}}`)).toBe(true);
    expect(isOnce(`{"a":${"[".repeat(300)}${"]".repeat(300)}}`)).toBe(false);
  });
});

/** The text with more in it right after its character `at`; the same where that is in a string or before an end. */
function withAt(text: string, at: number, more: string): string {
  const changed = `${text.slice(0, at + 1)}${more}${text.slice(at + 1)}`;
  try {
    const [before, after] = [text, changed].map((each) => JSON.stringify(JSON.parse(each)));
    return before === after ? '{"a":0,"a":0}' : changed;
  } catch {
    return '{"a":0,"a":0}';
  }
}

describe("what a model's API gets", () => {
  const sent = async (body: string): Promise<string | undefined> => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port, { capUsd: 1 });
    await ask(gateway, { body });
    return vendor.seen[0]?.body;
  };

  it("are the bytes that came, where nothing had to change", async () => {
    const body = JSON.stringify(
      { ...JSON.parse(message()), tools: [{ name: "bash" }], text: "ä – \"quoted\": '€'" },
      undefined,
      2,
    );
    expect(await sent(body)).toBe(body);
  });

  it.each([
    ["a name", '"mcp_server\\\\"', '"mcp_server\\u0073":[{"type":"url","url":"https://evil.example"}]'],
    [
      "a name in a list",
      '"messages":[{"role":"user","conten\\\\":1}]',
      `"messages":[{"role":"user","conten\\u0074":[${IMAGE}]}]`,
    ],
  ])(
    "is not what was looked away from, because %s is read by the engine for one that was there before",
    async (_what, lesson, hidden) => {
      const vendor = await standIn(json(anthropicAnswer()));
      const { gateway } = await modelGateway(folder(), vendor.port, { capUsd: 1 });
      const of = (more: string): string => message({ more: "MORE" }).replace('"more":"MORE"', more);
      await ask(gateway, { body: of(lesson.startsWith('"messages"') ? lesson : `${lesson}:1`) });
      expect((await ask(gateway, { body: of(hidden) })).status).toBe(403);
      expect(vendor.seen.map(({ body }) => body).join()).not.toContain("evil");
    },
  );

  it("is only what was looked at, where a member deep inside is named twice", async () => {
    const source = '"source":{"type":"url","url":"https://evil.example"},"sour\\u0063e":{"type":"base64","data":"QQ=="}';
    const body = message({ messages: "MESSAGES" }).replace(
      '"MESSAGES"',
      `[{"role":"user","content":[{"type":"image",${source}}]}]`,
    );
    expect(await sent(body)).toContain('"base64"');
    expect(await sent(body)).not.toContain("evil");
  });
});
