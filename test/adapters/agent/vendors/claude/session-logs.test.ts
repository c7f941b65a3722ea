import { expect, test } from "vitest";
import { answer, BEFORE, DAY, Home, KINDS } from "../../../session-logs/stage.ts";

const { create, log, other } = KINDS.claude;

async function spent(lines: readonly object[], more: readonly object[] = []): Promise<number | string> {
  const home = new Home();
  home.write(log, lines);
  if (more.length > 0) home.write(other, more);
  const said = await create(home.env).spentSince(DAY);
  return said.ok ? Number(said.usd.toFixed(6)) : said.why.slice(home.root.length + 1);
}

const million = 1_000_000;

test("each kind of token has its price: $3 in, $15 out, $0.30 read from and $3.75 or $6 written to the cache", async () => {
  expect(await spent([answer({ usage: { input_tokens: million } })])).toBe(3);
  expect(await spent([answer({ usage: { output_tokens: million } })])).toBe(15);
  expect(await spent([answer({ usage: { cache_read_input_tokens: million } })])).toBe(0.3);
  expect(await spent([answer({ usage: { cache_creation_input_tokens: million } })])).toBe(3.75);
  const hour = { cache_creation_input_tokens: million, cache_creation: { ephemeral_1h_input_tokens: million } };
  expect(await spent([answer({ usage: hour })])).toBe(6);
});

test("an answer that is logged block by block counts once, with what its last line says", async () => {
  const block = (output: number) => answer({ usage: { input_tokens: million, output_tokens: output } });
  expect(await spent([block(1), block(1), block(100_000)])).toBe(4.5);
  // Whichever comes first.
  expect(await spent([block(100_000), block(1)])).toBe(4.5);
});

test("an answer that a forked session holds again counts once", async () => {
  const line = answer({ usage: { input_tokens: million } });
  expect(await spent([line], [line, { ...line, isSidechain: true }])).toBe(3);
});

test("other answers count for themselves: another message, or another request", async () => {
  const usage = { input_tokens: million };
  const lines = [answer({ usage }), answer({ usage, message: { id: "msg_2" } }), answer({ usage, requestId: "req_2" })];
  expect(await spent(lines)).toBe(9);
});

test("without a request it is known by its message, and without a message by nothing", async () => {
  const usage = { input_tokens: million };
  const bare = answer({ usage, requestId: undefined });
  expect(await spent([bare, bare])).toBe(3);
  const nameless = answer({ usage, message: { id: undefined } });
  expect(await spent([nameless, nameless])).toBe(6);
});

test("an answer of yesterday in a log of today does not count", async () => {
  expect(await spent([answer({ usage: { output_tokens: million }, timestamp: BEFORE }), answer()])).toBe(0);
});

test("a message of the program's own making costs nothing, though its model has no price", async () => {
  expect(await spent([answer({ message: { model: "<synthetic>" } })])).toBe(0);
});

test("a search of the web costs a cent, beside its tokens; a page that was fetched costs its tokens", async () => {
  const tools = { web_search_requests: 3, web_fetch_requests: 2 };
  expect(await spent([answer({ usage: { input_tokens: million, server_tool_use: tools } })])).toBe(3.03);
});

test.for([
  ["without its use", { message: { usage: undefined } }, "an answer does not say what it used"],
  ["whose output is no count", { usage: { output_tokens: "many" } }, "an answer does not say what it used"],
  ["with less than nothing", { usage: { output_tokens: -1 } }, "an answer does not say what it used"],
  ["without a time", { timestamp: "yesterday" }, "an answer does not say what it used"],
  ["without a model", { message: { model: undefined } }, "an answer does not say what it used"],
  ["at another rate", { usage: { speed: "fast" } }, "no price is known for answers at a faster rate"],
  ["of a dearer tier", { usage: { service_tier: "priority" } }, "no price is known for answers at a faster rate"],
  [
    "with another tool",
    { usage: { server_tool_use: { code_execution_requests: 1 } } },
    'no price is known for the tool "code_execution_requests"',
  ],
] as const)("an answer %s: nobody knows what was spent", async ([, over, why]) => {
  expect(await spent([answer(), answer({ ...over })])).toBe(`${log}: line 2: ${why}`);
});

test("are looked for where CLAUDE_CONFIG_DIR says, and nowhere else then", async () => {
  const home = new Home();
  home.write(log, ["this is no log"]);
  home.write("elsewhere/projects/app/one.jsonl", [answer({ usage: { input_tokens: million } })]);
  const said = await create({ ...home.env, CLAUDE_CONFIG_DIR: home.path("elsewhere") }).spentSince(DAY);
  expect(said).toEqual({ ok: true, usd: 3 });
});
