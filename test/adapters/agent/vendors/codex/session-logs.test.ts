import { expect, test } from "vitest";
import { BEFORE, counted, DAY, Home, KINDS, turn } from "../../../session-logs/stage.ts";

const { create, log } = KINDS.codex;

async function spent(lines: readonly object[]): Promise<number | string> {
  const home = new Home();
  home.write(log, lines);
  const said = await create(home.env).spentSince(DAY);
  return said.ok ? Number(said.usd.toFixed(6)) : said.why.slice(home.root.length + 1);
}

const million = 1_000_000;

test("the sum of a session counts once, however often it is told: $1.75 in, $14 out, $0.175 from the cache", async () => {
  expect(await spent([turn(), counted(million, 0), counted(million, 0), counted(2 * million, 0)])).toBe(3.5);
  expect(await spent([turn(), counted(0, million)])).toBe(14);
  expect(await spent([turn(), counted(million, 0, { cached: million })])).toBe(0.175);
});

test("of a session that began yesterday, what it grew by today counts", async () => {
  expect(await spent([turn(), counted(5 * million, 0, { at: BEFORE }), counted(6 * million, 0)])).toBe(1.75);
});

test("each growth costs what its model costs", async () => {
  const lines = [turn(), counted(million, 0), turn("gpt-5.5"), counted(2 * million, 0)];
  expect(await spent(lines)).toBe(6.75);
});

test("a sum that begins again counts by its last request, or whole where that is not told", async () => {
  const last = { input_tokens: million, cached_input_tokens: 0, output_tokens: 0 };
  expect(await spent([turn(), counted(5 * million, 0), counted(2 * million, 0, { last })])).toBe(10.5);
  expect(await spent([turn(), counted(5 * million, 0), counted(2 * million, 0)])).toBe(12.25);
});

test("a count about the account's limits alone costs nothing", async () => {
  const limits = { type: "event_msg", timestamp: BEFORE, payload: { type: "token_count", info: null, rate_limits: {} } };
  expect(await spent([limits, turn(), counted(0, 0)])).toBe(0);
});

test.for([
  [
    "no sum",
    { payload: { type: "token_count", info: { last_token_usage: {} } } },
    "a count of tokens does not say what was used",
  ],
  ["no time", { ...counted(1, 1), timestamp: 12 }, "a count of tokens does not say what was used"],
  ["half a token", counted(0.5, 1), "a count of tokens does not say what was used"],
  ["no model before it", counted(1, 1), "tokens were used before a model was named"],
] as const)("a count with %s: nobody knows what was spent", async ([, line, why]) => {
  expect(await spent([{ type: "event_msg", timestamp: BEFORE, ...line }])).toBe(`${log}: line 1: ${why}`);
});

test("a turn that names no model in a way that is understood leaves none", async () => {
  expect(await spent([turn(), { type: "turn_context", payload: {} }, counted(1, 1)])).toContain("before a model was named");
});

test("are looked for where CODEX_HOME says, and nowhere else then", async () => {
  const home = new Home();
  home.write(log, ["this is no log"]);
  home.write("elsewhere/sessions/2026/03/13/rollout-1.jsonl", [turn(), counted(million, 0)]);
  const said = await create({ ...home.env, CODEX_HOME: home.path("elsewhere") }).spentSince(DAY);
  expect(said).toEqual({ ok: true, usd: 1.75 });
});
