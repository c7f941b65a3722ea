import { describe, expect, test } from "vitest";
import { KeyedQueue } from "../../src/domain/values/serial-queue.ts";
import { boundedList, boundedTail } from "../../src/domain/values/text.ts";
import { pause } from "../../src/loop/concurrency/wait.ts";
import { commandEvidence, howItEnded, thinActivity } from "../../src/loop/programs/run-in.ts";
import { FakeClock } from "./fake-clock.ts";

describe("bounded output", () => {
  test("the end is kept, and the mark says how much went", () => {
    expect(boundedTail("abc\n\n", 3)).toBe("abc");
    expect(boundedTail("abcdef", 4)).toBe("[… 2 characters cut …]\ncdef");
    expect(boundedTail("x".repeat(5_000)).length).toBeLessThan(4_100);
  });

  test("a list is cut with a count", () => {
    expect(boundedList(["a", "b"], 2)).toBe("a\nb");
    expect(boundedList(["a", "b", "c"], 2)).toBe("a\nb\nand 1 more");
  });
});

describe("thinActivity", () => {
  const start = () => {
    const clock = new FakeClock();
    const said: [string, number][] = [];
    return { clock, said, activity: thinActivity(clock, (text, lines) => said.push([text, lines])) };
  };

  test("the first line at once, then the newest every 250 ms with how many there were", () => {
    const { clock, said, activity } = start();
    activity.line("one");
    expect(said).toEqual([["one", 1]]);
    for (const line of ["two", "three", "four"]) activity.line(line);
    clock.advance(249);
    expect(said).toHaveLength(1);
    clock.advance(1);
    expect(said).toEqual([
      ["one", 1],
      ["four", 3],
    ]);
    clock.advance(10_000);
    expect(said).toHaveLength(2);
    activity.line("later");
    expect(said.at(-1)).toEqual(["later", 1]);
  });

  test("end reports what is left, once, and leaves no timer", () => {
    const { clock, said, activity } = start();
    activity.line("one");
    activity.line("two");
    activity.end();
    activity.end();
    expect(said).toEqual([
      ["one", 1],
      ["two", 1],
    ]);
    expect(clock.waiting).toBe(0);
  });

  test("blank lines are nothing, and what is reported is plain and short", () => {
    const { said, activity } = start();
    activity.line("  ");
    expect(said).toEqual([]);
    activity.line(`\u001b]0;title\u0007${"x".repeat(500)}`);
    expect(said[0]?.[0]).toBe(`${"x".repeat(199)}…`);
  });
});

describe("pause", () => {
  test("waits as long as it is told, and no longer than its signal", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    let over = 0;
    const waits = [pause(clock, 100, controller.signal), pause(clock, 1_000, controller.signal)].map((p) =>
      p.then(() => (over += 1)),
    );
    clock.advance(99);
    await Promise.resolve();
    expect(over).toBe(0);
    clock.advance(1);
    await waits[0];
    controller.abort();
    await waits[1];
    expect(clock.waiting).toBe(0);
    await pause(clock, 1_000_000, controller.signal);
  });
});

describe("MergeLanes", () => {
  const gate = () => Promise.withResolvers<void>();

  test("runs the tasks of a key one at a time, in order; other keys beside them", async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const [first, other] = [gate(), gate()];
    const task = (name: string, until?: Promise<void>) => async () => {
      log.push(`+${name}`);
      await until;
      log.push(`-${name}`);
    };
    const all = [
      queue.run("a", task("a1", first.promise)),
      queue.run("a", task("a2")),
      queue.run("b", task("b1", other.promise)),
    ];
    other.resolve();
    await all[2];
    first.resolve();
    await Promise.all(all);
    expect(log).toEqual(["+a1", "+b1", "-b1", "-a1", "+a2", "-a2"]);
  });

  test("a task that fails tells its caller and does not hold up the next", async () => {
    const queue = new KeyedQueue();
    const failed = queue.run("a", () => Promise.reject(new Error("broken")));
    const next = queue.run("a", () => Promise.resolve("next"));
    await expect(failed).rejects.toThrow("broken");
    expect(await next).toBe("next");
  });

  test("who is cancelled while waiting leaves at once, never runs, and lets nobody pass the one before", async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const first = gate();
    const controller = new AbortController();
    const before = queue.run("a", () => first.promise.then(() => void log.push("first")));
    const left = queue.run("a", () => Promise.resolve(log.push("cancelled")), controller.signal);
    const after = queue.run("a", () => Promise.resolve(log.push("after")));
    controller.abort(new Error("killed"));
    await expect(left).rejects.toThrow("killed");
    expect(log).toEqual([]);
    first.resolve();
    await Promise.all([before, after]);
    expect(log).toEqual(["first", "after"]);
    await expect(queue.run("a", () => Promise.resolve(), controller.signal)).rejects.toThrow("killed");
    expect(await queue.run("a", () => Promise.resolve("free"))).toBe("free");
  });

  test("an abort after its turn has come is the task's own affair", async () => {
    const controller = new AbortController();
    const done = new KeyedQueue().run("a", async () => controller.abort(), controller.signal);
    await expect(done).resolves.toBeUndefined();
  });
});

describe("how a command ended, in words", () => {
  test.for([
    [{ ending: "exited", exitCode: 3, signal: null }, "exited with code 3"],
    [{ ending: "exited", exitCode: null, signal: "SIGSEGV" }, "was ended by SIGSEGV"],
    [{ ending: "silent", exitCode: null, signal: "SIGKILL" }, "printed nothing for too long and was killed"],
    [{ ending: "out-of-time", exitCode: null, signal: "SIGKILL" }, "ran out of time and was killed"],
    [{ ending: "aborted", exitCode: null, signal: "SIGKILL" }, "was cancelled"],
    [{ ending: "failed-to-start", exitCode: null, signal: null, message: "ENOENT\u001b[2J" }, "did not start: ENOENT"],
    [{ ending: "failed-to-start", exitCode: null, signal: null }, "did not start: no reason given"],
  ] as const)("%j", ([result, words]) => {
    expect(howItEnded(result)).toBe(words);
  });

  test("the evidence names the command on one plain line and keeps the end of the output", () => {
    const result = { ending: "exited", exitCode: 1, signal: null, tail: `${"x".repeat(9_000)}the end\n`, durationMs: 1 } as const;
    const evidence = commandEvidence({ step: "check", name: "unit" }, ["sh", "-c", "a\nb\u001b[1m"], result);
    expect(evidence).toMatchObject({ step: "check", name: "unit", summary: "sh -c a b exited with code 1" });
    expect(evidence.detail).toMatch(/the end$/);
    expect(evidence.detail.length).toBeLessThan(4_100);
  });
});
