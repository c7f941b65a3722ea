import { beforeAll, describe, expect, test } from "vitest";
import type { RunBuilder } from "../../../store/run-builder.ts";
import { claims, plumbing } from "../../../store/scenes.ts";
import { type Mounted, mount } from "../../mount.tsx";
import { checkedScreen, SIZES } from "../../shot.ts";
import { FakeFile } from "./view-stage.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const LOG = [
  { type: "system", subtype: "init", model: "claude-sonnet" },
  { type: "assistant", message: { content: [{ type: "text", text: "I look at the policy first.\nThen at its tests." }] } },
  { type: "assistant", message: { content: [{ type: "tool_use", name: "Bash", input: { command: "npm test -- src/iam" } }] } },
  {
    type: "user",
    message: { content: [{ type: "tool_result", content: "one\ntwo\nthree\nfour\nfive", is_error: false }] },
  },
  {
    type: "user",
    message: { content: [{ type: "tool_result", content: "exit 1: \u001b[31m2 of 88 failed\u001b[0m", is_error: true }] },
  },
  {
    type: "assistant",
    message: {
      content: [
        {
          type: "text",
          text: "The bucket's lifecycle rule has to name the prefix as well, otherwise everything that is older than thirty days would go, and nobody wants that.",
        },
      ],
    },
  },
]
  .map((event) => `${JSON.stringify(event)}\n`)
  .join("");

const PATCH = `diff --git a/src/iam.ts b/src/iam.ts
index 1111111..2222222 100644
--- a/src/iam.ts
+++ b/src/iam.ts
@@ -1,4 +1,5 @@
 export const policy = {
-\tallow: "*",
+\tallow: ["bucket/logs/*"],
+\tdays: 30,
 };
`;

/** So many numbered lines. */
function numbered(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i} of the log\n`).join("");
}

/** The ticket view on T-6, whose first try has failed and whose second is at work. */
async function opened(run: RunBuilder, columns: number, rows: number, id = "T-6"): Promise<Mounted> {
  const m = await mount(run, columns, rows);
  m.store.dispatch({ type: "select", ticket: id as never });
  m.store.dispatch({ type: "view", view: "ticket" });
  await m.stage.shows("2 TICKET");
  return m;
}

const snapshot = (name: string): string => `../__snapshots__/ticket-${name}.txt`;

describe("the ticket view", () => {
  test.each(SIZES)("the log of a try at work at %i×%i", async (columns, rows) => {
    await using m = await opened(plumbing(), columns, rows);
    new FakeFile(m.store).write(LOG);
    await m.stage.shows("nobody wants that");
    await expect(await checkedScreen(m, columns, rows)).toMatchFileSnapshot(snapshot(`log-${columns}x${rows}`));
  });

  test.each(SIZES)("the evidence and the diff of a failed try at %i×%i", async (columns, rows) => {
    await using m = await opened(plumbing(), columns, rows);
    await m.stage.press("[", "failed");
    await m.stage.press("e", "EVIDENCE");
    new FakeFile(m.store).write("> vitest run\n\n FAIL  src/iam.test.ts > policy\n\tAssertionError: expected '*'\n");
    if (rows < 24) await m.stage.press("G", "following");
    await m.stage.shows("AssertionError");
    await expect(await checkedScreen(m, columns, rows)).toMatchFileSnapshot(snapshot(`evidence-${columns}x${rows}`));
    await m.stage.press("d", "DIFF");
    new FakeFile(m.store).write(PATCH);
    if (rows < 24) await m.stage.press("G", "at the end");
    await m.stage.shows("bucket/logs");
    await expect(await checkedScreen(m, columns, rows)).toMatchFileSnapshot(snapshot(`diff-${columns}x${rows}`));
  });

  test.each(SIZES)("the cost at %i×%i", async (columns, rows) => {
    await using m = await opened(claims(), columns, rows, "T-2");
    await m.stage.press("c", "COST");
    const usage = { input_tokens: 1200, output_tokens: 340, cache_read_input_tokens: 50_000 };
    new FakeFile(m.store).write(`${JSON.stringify({ type: "result", is_error: false, usage })}\n`);
    if (rows >= 24) await m.stage.shows("1,200 in, 340 out, 50,000 from the cache");
    await expect(await checkedScreen(m, columns, rows)).toMatchFileSnapshot(snapshot(`cost-${columns}x${rows}`));
  });
});

describe("what is read", () => {
  test("the end is followed until somebody scrolls, and then what is read stays where it is", async () => {
    await using m = await opened(plumbing(), 80, 24);
    const file = new FakeFile(m.store).write(numbered(1, 100));
    await m.stage.shows("line 100 of");
    file.write(numbered(101, 101));
    await m.stage.shows("line 101 of");
    await m.stage.press("kk", "line 99 of");
    await m.stage.hides("line 100 of");
    file.write(numbered(102, 15_000));
    await m.stage.shows("of 15000 ─");
    await m.stage.shows("line 99 of");
    file.write(numbered(15_001, 30_000));
    await m.stage.press("f", "line 30000 of");
    await m.stage.press("f", "line 19987 of 20000");
    file.write(numbered(30_001, 30_001));
    await m.stage.shows("older let go");
    await m.stage.shows("line 30000 of");
    await m.stage.press("\u001b[H", "line 10002 of");
    await m.stage.press(" ", "line 10015 of");
    await m.stage.press("G", "following");
    await m.stage.shows("line 30001 of");
    await m.stage.press("kj", "following");
  });

  test("long lines are wrapped at words, or cut with a mark", async () => {
    await using m = await opened(plumbing(), 60, 15);
    new FakeFile(m.store).write(`${"word ".repeat(30)}end\n鍵鍵鍵${"x".repeat(100)}\n`);
    await m.stage.shows("word end");
    await m.stage.press("w", "word wor…");
    const cut = await m.stage.terminal.lines();
    expect(cut.filter((line) => line.endsWith("…"))).toHaveLength(2);
    await m.stage.press("w", "word end");
    await checkedScreen(m, 60, 15);
  });

  test("a text is found: counted, lit, and gone through in both directions", async () => {
    await using m = await opened(plumbing(), 80, 24);
    const file = new FakeFile(m.store).write(numbered(1, 300));
    await m.stage.press("/", "/█");
    await m.stage.press("LINE 2", "in no line: LINE 2");
    await m.stage.press("\u0015", "/█");
    await m.stage.press("line 29", "in 11 lines: line 29");
    await m.stage.press("\r", "in 11 lines, this is 11");
    await m.stage.shows("line 299 of");
    await m.stage.press("n", "in 11 lines, this is 1");
    await m.stage.shows("line 29 of");
    await m.stage.press("N", "this is 11");
    file.write("a line 29 more\n");
    await m.stage.shows("in 12 lines");
    await m.stage.press("/", "/line 29█");
    await m.stage.press("x", "/line 29x█");
    await m.stage.press("\r", "in no line");
    await m.stage.press("/", "/line 29x█");
    m.stage.keyboard.press("\u0015");
    await m.stage.hides("in no line");
    await m.stage.press("\u001b", "in no line");
    await m.stage.press("/", "/line 29x█");
    m.stage.keyboard.press("\u0015");
    await m.stage.press("\r", "line 300 of");
  });

  test("what the reader lets go of while it is read gives way to the oldest that is left", async () => {
    await using m = await opened(plumbing(), 80, 24);
    const file = new FakeFile(m.store).write(numbered(1, 100));
    await m.stage.press("\u001b[H", "line 1 of the log");
    file.write(numbered(101, 30_000));
    await m.stage.shows("older let go");
    await m.stage.shows("line 10001 of the log");
  });

  test("what an agent prints cannot reach the terminal as anything but text", async () => {
    await using m = await opened(plumbing(), 80, 24);
    const hostile = "\u001b[2J\u001b]0;owned\u0007\u001b[31mred\u001b[0m\ta\u202Eb\u200D\u009b5mc";
    new FakeFile(m.store).write(`${hostile}\n${JSON.stringify({ type: "text", part: { text: `says ${hostile}` } })}\n`);
    await m.stage.shows("says red    abc");
    await m.stage.shows("red abc");
    expect(m.stage.terminal.raw).not.toContain("\u001b]");
    expect(m.stage.terminal.raw).not.toContain("\u001b[2J\u001b]");
    expect(m.stage.terminal.raw).not.toContain("\u202e");
    await checkedScreen(m, 80, 24);
  });

  test("an agent's events are read to people, or shown as they stand there", async () => {
    await using m = await opened(plumbing(), 80, 24);
    new FakeFile(m.store).write(LOG);
    await m.stage.shows("▸ Bash: npm test");
    await m.stage.press("v", '{"type":"system"');
    await m.stage.hides("▸ Bash");
    await m.stage.press("v", "▸ Bash: npm test");
  });
});

describe("what is chosen", () => {
  test("with no ticket selected it says so, and scrolling selects one", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press("2", "no ticket is selected");
    await m.stage.press("l", "no ticket is selected");
    await m.stage.press("JJ", "T-7 drop the legacy queue");
    await m.stage.press("J", "T-6 bucket lifecycle");
    await m.stage.press("K", "T-7 drop the legacy queue");
  });

  test("a ticket without a try says that there is nothing yet, and why it waits", async () => {
    await using m = await opened(plumbing(), 80, 24, "T-9");
    await m.stage.shows("open: waits for T-4, T-6");
    await m.stage.shows("no attempt yet");
    await m.stage.press("d", "this ticket has had no attempt yet");
  });

  test("tries and steps are walked over, and a step's evidence is opened", async () => {
    await using m = await opened(plumbing(), 120, 30);
    await m.stage.press("]", "this is the newest attempt");
    await m.stage.press("[", "2 of 88: policy of src/iam.ts");
    await m.stage.press("[", "this is the first attempt");
    await m.stage.press("s", "▌  - merge");
    await m.stage.press("S", "▌  ✖ check tests");
    await m.stage.press("\r", "check tests, attempt 1: failed");
    new FakeFile(m.store).tell("absent");
    await m.stage.shows("no check-tests.log: it has not been written");
    await m.stage.press("SS", "▌  » agent");
    await m.stage.press("]", "▌  ▸ agent");
  });

  test("a running try's change is unknown until it is captured, and said so", async () => {
    const run = plumbing();
    await using m = await opened(run, 80, 24);
    await m.stage.press("d", "DIFF");
    new FakeFile(m.store).tell("absent");
    await m.stage.shows("unknown until the agent has stopped and its change is captured");
    run.claims("T-6");
    m.tell();
    new FakeFile(m.store).tell("absent");
    await m.stage.shows("captured: +61 −12 in 4 files");
    new FakeFile(m.store).tell({ refused: "it is a link" });
    await m.stage.shows("not read: it is a link");
  });
});

describe("what is drawn", () => {
  test("10,000 lines in many pieces draw the text alone, no more often than the reader tells", async () => {
    await using m = await opened(plumbing(), 120, 30);
    const file = new FakeFile(m.store).write("begin\n");
    await m.stage.shows("begin");
    m.stage.drawn.clear();
    for (let i = 0; i < 20; i++) file.write(numbered(i * 500 + 1, i * 500 + 500));
    await m.stage.shows("line 10000 of");
    expect([...m.stage.drawn.keys()]).toEqual(["ticket text"]);
    expect(m.stage.drawn.get("ticket text")).toBeLessThanOrEqual(20);
  });

  test("what the agent says in the meantime draws nothing of the view", async () => {
    const run = plumbing();
    await using m = await opened(run, 120, 30);
    new FakeFile(m.store).write("begin\n");
    await m.stage.shows("begin");
    m.stage.drawn.clear();
    run.of("T-6", { type: "activity", text: "more", lines: 1 }).of("T-7", { type: "activity", text: "more", lines: 1 });
    m.tell();
    m.feed.flush();
    m.store.tick(run.now + 1_000);
    await m.stage.shows("00:45:28");
    expect([...m.stage.drawn.keys()]).toEqual([]);
  });
});

describe("at 80×24, a reason that its row has no room for", () => {
  const why = (words: string) => `${words} ${"and so on, word after word, ".repeat(12)}to the very last word`;
  const read = async (m: Mounted) => (await checkedScreen(m, 80, 24)).replace(/\s+/g, " ");

  test.each([
    ["of a human gate", { type: "ticket-gated", step: why("approve the change") }, "approve the change"],
    ["of a stall", { type: "ticket-stalled", reason: why("two attempts failed"), by: "attempts" }, "two attempts failed"],
  ] as const)("%s is whole in the ticket view, and the last line names the key", async (_, fact, begins) => {
    const run = plumbing();
    run.play({ ...fact, ticket: "T-8" } as never);
    await using m = await mount(run, 80, 24);
    m.store.dispatch({ type: "select", ticket: "T-8" as never });
    await m.stage.shows("enter why");
    expect(await read(m)).not.toContain("to the very last word");
    await m.stage.press("\r", "2 TICKET");
    expect(await read(m)).toContain(why(begins));
  });

  test("of an outage is whole in the ticket view, with and without a selected ticket", async () => {
    const run = plumbing();
    const until = run.now + 900_000;
    run.play({ type: "outage-started", what: "tracker", why: why("Linear cannot be reached"), nextAt: run.now + 4_000, until });
    await using m = await mount(run, 80, 24);
    await m.stage.shows("enter why");
    expect(await read(m)).not.toContain("to the very last word");
    await m.stage.press("\r", "no ticket is selected");
    expect(await read(m)).toContain(why("the tracker is away, 1 try: Linear cannot be reached"));
    m.store.dispatch({ type: "select", ticket: "T-8" as never });
    await m.stage.shows("open: ready");
    expect(await read(m)).toContain(why("the tracker is away, 1 try: Linear cannot be reached"));
  });

  test("of a hold is whole in the ticket view", async () => {
    const run = plumbing();
    const change = { kind: "held", why: why("it waits for an issue outside of the batch").slice(0, 300) } as const;
    run.play({ type: "tracker-drifted", ticket: "T-8" as never, change });
    await using m = await mount(run, 80, 24);
    m.store.dispatch({ type: "select", ticket: "T-8" as never });
    await m.stage.shows("enter why");
    await m.stage.press("\r", "2 TICKET");
    expect(await read(m)).toContain(change.why.trim());
  });
});
