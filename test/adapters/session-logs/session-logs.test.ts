import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { createSessionLogs } from "../../../src/adapters/session-logs/session-logs.ts";
import type { LoggedUse } from "../../../src/ports/session-logs.ts";
import { BEFORE, DAY, Home, KINDS, NOON } from "./stage.ts";

/** Seconds of a file's times are those of the tests' day. */
const touch = (file: string) => utimesSync(file, new Date(NOON), new Date(NOON));

describe.each(Object.entries(KINDS))("sessions of %s", (_, kind) => {
  const spent = (home: Home, env = home.env) => kind.create(env).spentSince(DAY);
  const dollars = async (home: Home) => {
    const said = await spent(home);
    return said.ok ? said.usd : said.why;
  };

  test("where there are none, nothing was spent", async () => {
    expect(await spent(new Home())).toEqual({ ok: true, usd: 0 });
  });

  test("of today are summed, in whichever folder, and those of yesterday are not", async () => {
    const home = new Home();
    home.write(kind.log, [...kind.threeDollars(BEFORE), ...kind.threeDollars(BEFORE)]);
    expect(await dollars(home)).toBe(0);
    home.write(kind.log, kind.threeDollars());
    expect(await dollars(home)).toBeCloseTo(3);
    home.write(kind.other, kind.again());
    expect(await dollars(home)).toBeCloseTo(6);
  });

  test("a log that was not written today is not opened", async () => {
    const home = new Home();
    home.write(kind.log, ["this is no log"], BEFORE);
    expect(await dollars(home)).toBe(0);
  });

  test("what is no log is not read", async () => {
    const home = new Home();
    home.write(`${dirname(kind.log)}/notes.txt`, ["this is no log"]);
    expect(await dollars(home)).toBe(0);
  });

  test("lines about other things, and empty ones, cost nothing", async () => {
    const home = new Home();
    home.write(kind.log, [{ type: "summary", summary: "x" }, "", ...kind.threeDollars(), { type: "user", message: {} }]);
    expect(await dollars(home)).toBeCloseTo(3);
  });

  test.for([
    ["no JSON", '{"type": ', "line 1 is not JSON"],
    ["no object", "[1]", "line 1 is not an object"],
  ] as const)("a line that is %s: nobody knows what was spent", async ([, line, why]) => {
    const home = new Home();
    const file = home.write(kind.log, [line, ...kind.threeDollars()]);
    expect(await spent(home)).toEqual({ ok: false, why: `${file}: ${why}` });
  });

  test("a model without a price: nobody knows", async () => {
    const home = new Home();
    const file = home.write(kind.log, kind.unpriced);
    const why = `${file}: no price is known for the model "other-model"; the batch can name one under prices`;
    expect(await spent(home)).toEqual({ ok: false, why });
  });

  test.for(["dead link", "pipe"] as const)("a %s in a log's place is told, and not waited for", async (what) => {
    const home = new Home();
    const path = home.path(kind.log);
    mkdirSync(dirname(path), { recursive: true });
    if (what === "dead link") {
      symlinkSync("/nowhere", path);
      expect(await spent(home)).toMatchObject({ ok: false, why: `${path}: it cannot be opened (ENOENT)` });
      return;
    }
    execFileSync("mkfifo", [path]);
    touch(path);
    expect(await spent(home)).toEqual({ ok: false, why: `${path}: it is not a file` });
  });

  test("names that would do something to a terminal do not", async () => {
    const home = new Home();
    home.write(`${dirname(kind.log)}/rollout-\u001b[31m.jsonl`, ["x"]);
    const said = await spent(home);
    expect(said.ok).toBe(false);
    expect(JSON.stringify(said)).not.toContain("\\u001b");
  });

  test("a line that stays half is unknown", async () => {
    const home = new Home();
    const [line = {}] = kind.threeDollars().toReversed();
    home.raw(kind.log, JSON.stringify(line).slice(0, -20));
    expect(await spent(home)).toMatchObject({ ok: false, why: expect.stringMatching(/line 1 is not whole$/) });
  });

  test("a whole last line counts without its newline", async () => {
    const home = new Home();
    home.raw(
      kind.log,
      kind
        .threeDollars()
        .map((object) => JSON.stringify(object))
        .join("\n"),
    );
    expect(await dollars(home)).toBeCloseTo(3);
  });

  test("is read again where it has grown, and what was spent stays spent where a log is removed", async () => {
    const home = new Home();
    const logs = kind.create(home.env);
    home.write(kind.log, kind.threeDollars());
    const first = await logs.spentSince(DAY);
    home.write(kind.other, kind.again());
    const second = await logs.spentSince(DAY);
    rmSync(home.path(kind.log));
    const third = await logs.spentSince(DAY);
    expect([first, second, third].map((said) => (said.ok ? Math.round(said.usd) : said.why))).toEqual([3, 6, 6]);
    // A new day begins at nothing.
    expect(await logs.spentSince(DAY + 24 * 3_600_000)).toEqual({ ok: true, usd: 0 });
  });

  test("lines of many megabytes, in any pieces, are read", async () => {
    const home = new Home();
    const long = { type: "user", text: "é".repeat(3 * 1024 * 1024) };
    home.write(kind.log, [long, ...kind.threeDollars(), long]);
    expect(await dollars(home)).toBeCloseTo(3);
  });

  test("a link that leads in a circle is told", async () => {
    const home = new Home();
    const folder = dirname(home.write(kind.log, kind.threeDollars()));
    symlinkSync("circle", `${folder}/circle`);
    expect(await spent(home)).toEqual({ ok: false, why: `${folder}/circle: it cannot be opened (ELOOP)` });
  });

  test("folders that lead into each other are looked into once", async () => {
    const home = new Home();
    home.write(kind.log, kind.threeDollars());
    symlinkSync("..", `${dirname(home.path(kind.log))}/up`);
    expect(await dollars(home)).toBeCloseTo(3);
  });
});

describe("a log that somebody writes", () => {
  const ONE: LoggedUse = {
    model: "m",
    tokens: { input: 1, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 },
    alsoUsd: 0,
  };
  /** Each line costs a dollar. `meanwhile` happens while the first attempt waits for the next; how often it was waited. */
  async function watched(home: Home, meanwhile: () => void) {
    let waits = 0;
    const wait = () => {
      if (waits++ === 0) meanwhile();
      return Promise.resolve();
    };
    const kind = { roots: [home.path("logs")], isLog: () => true, reader: () => () => ({ ...ONE }), cost: () => 1 };
    return { said: await createSessionLogs(kind, wait).spentSince(DAY), waits: () => waits };
  }

  test("is waited for until its last line is whole", async () => {
    const home = new Home();
    const file = home.raw("logs/a.jsonl", '{"a": 1}\n{"b"');
    const { said, waits } = await watched(home, () => appendFileSync(file, ": 2}\n"));
    expect([said, waits()]).toEqual([{ ok: true, usd: 2 }, 1]);
  });

  test("or that is moved: it is looked for again", async () => {
    const home = new Home();
    symlinkSync("/nowhere", home.write("logs/a.jsonl", ["{}"]).replace("a.jsonl", "b.jsonl"));
    const { said, waits } = await watched(home, () => rmSync(home.path("logs/b.jsonl")));
    expect([said, waits()]).toEqual([{ ok: true, usd: 1 }, 1]);
  });

  test("is not waited for without end, nor where it will not get better", async () => {
    const home = new Home();
    home.raw("logs/a.jsonl", '{"b"');
    const half = await watched(home, () => undefined);
    expect([half.said.ok, half.waits()]).toEqual([false, 19]);
    home.raw("logs/a.jsonl", '{"b"\n{}\n');
    const broken = await watched(home, () => undefined);
    expect([broken.said.ok, broken.waits()]).toEqual([false, 0]);
  });
});
