import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Semaphore } from "../../../src/loop/concurrency/semaphore.ts";
import { WorktreeGate } from "../../../src/loop/concurrency/worktree-gate.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));
const idle = new AbortController().signal;

/** Permits, and tasks that note their beginning and go on until they are let go. */
function scene(most: number) {
  const permits = new Semaphore(most);
  const log: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const run = (name: string, signal = idle): Promise<string> =>
    permits.run(async () => {
      log.push(name);
      const gate = Promise.withResolvers<void>();
      gates.set(name, gate);
      await gate.promise;
      return name;
    }, signal);
  const end = async (name: string, error?: Error): Promise<void> => {
    if (error === undefined) gates.get(name)?.resolve();
    else gates.get(name)?.reject(error);
    await settle();
  };
  return { permits, log, run, end };
}

describe("Permits whose number changes", () => {
  test("that become more let those begin at once who wait, in the order they came", async () => {
    const { permits, log, run, end } = scene(1);
    const all = ["a", "b", "c", "d"].map((name) => run(name));
    await settle();
    permits.resize(3);
    await settle();
    expect(log).toEqual(["a", "b", "c"]);
    for (const name of ["a", "b", "c", "d"]) await end(name);
    await Promise.all(all);
    expect(log).toEqual(["a", "b", "c", "d"]);
  });

  test("that become fewer let what runs go on, and begin nothing before enough of it has ended", async () => {
    const { permits, log, run, end } = scene(3);
    const all = ["a", "b", "c", "d", "e"].map((name) => run(name));
    await settle();
    permits.resize(1);
    await end("a");
    await end("b");
    expect(log).toEqual(["a", "b", "c"]);
    expect(await permits.tryRun(() => Promise.resolve("ahead"))).toBeUndefined();
    await end("c");
    expect(log).toEqual(["a", "b", "c", "d"]);
    await end("d");
    await end("e");
    await Promise.all(all);
    expect(await permits.tryRun(() => Promise.resolve("ahead"))).toBe("ahead");
  });

  test("are as many as were wanted last, however often that changed", async () => {
    const { permits, log, run, end } = scene(2);
    const all = ["a", "b", "c", "d", "e"].map((name) => run(name));
    await settle();
    for (const most of [1, 4, 2, 3]) permits.resize(most);
    await settle();
    expect(log).toEqual(["a", "b", "c", "d"]);
    await end("a");
    expect(log).toEqual(["a", "b", "c", "d"]);
    for (const name of ["b", "c", "d", "e"]) await end(name);
    await Promise.all(all);
  });
});

describe("Permits", () => {
  test("let so many run at a time, and the others in the order they came", async () => {
    const { log, run, end } = scene(2);
    const all = ["a", "b", "c", "d", "e"].map((name) => run(name));
    await settle();
    expect(log).toEqual(["a", "b"]);
    await end("b");
    expect(log).toEqual(["a", "b", "c"]);
    await end("c");
    await end("a");
    expect(log).toEqual(["a", "b", "c", "d", "e"]);
    await end("d");
    await end("e");
    expect(await Promise.all(all)).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("of one: one at a time, and it is there again when nobody waits", async () => {
    const { log, run, end } = scene(1);
    const first = run("a");
    const second = run("b");
    await settle();
    expect(log).toEqual(["a"]);
    await end("a");
    await end("b");
    await Promise.all([first, second]);
    const third = run("c");
    await settle();
    expect(log).toEqual(["a", "b", "c"]);
    await end("c");
    await third;
  });

  test("are given back by a task that fails, and its caller is told", async () => {
    const { log, run, end } = scene(1);
    const failed = run("a");
    const next = run("b");
    await settle();
    await Promise.all([expect(failed).rejects.toThrow("broken"), end("a", new Error("broken"))]);
    expect(log).toEqual(["a", "b"]);
    await end("b");
    expect(await next).toBe("b");
  });

  test("who is cancelled while waiting leaves at once with the reason, never runs, and takes no permit along", async () => {
    const { log, run, end } = scene(1);
    const controller = new AbortController();
    const reason = new Error("killed");
    const first = run("a");
    const left = run("b", controller.signal);
    const after = run("c");
    controller.abort(reason);
    await expect(left).rejects.toBe(reason);
    expect(log).toEqual(["a"]);
    await end("a");
    expect(log).toEqual(["a", "c"]);
    await end("c");
    await Promise.all([first, after]);
    const last = run("d");
    await settle();
    expect(log).toEqual(["a", "c", "d"]);
    await end("d");
    await last;
  });

  test("who was cancelled before it came gets none, though one is free", async () => {
    const { permits } = scene(1);
    const reason = new Error("killed");
    await expect(permits.run(() => Promise.resolve("ran"), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await permits.run(() => Promise.resolve("ran"), idle)).toBe("ran");
  });

  test("an abort once its turn has come is the task's own affair, and the permit is not lost", async () => {
    const { log, run, end, permits } = scene(1);
    const controller = new AbortController();
    const first = run("a");
    const second = run("b", controller.signal);
    const third = run("c");
    await settle();
    await end("a");
    controller.abort(new Error("killed"));
    await end("b");
    expect(log).toEqual(["a", "b", "c"]);
    await end("c");
    expect(await Promise.all([first, second, third])).toEqual(["a", "b", "c"]);
    const over = new AbortController();
    await permits.run(async () => over.abort(), over.signal);
    expect(await permits.run(() => Promise.resolve("free"), idle)).toBe("free");
  });

  test("are tried for without waiting: nothing runs where none is free, and what ran gives its permit back, even when it fails", async () => {
    const { permits, log, run, end } = scene(1);
    const first = run("a");
    await settle();
    expect(await permits.tryRun(() => Promise.reject(new Error("ran")))).toBeUndefined();
    await end("a");
    await first;
    await expect(permits.tryRun(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    const gate = Promise.withResolvers<string>();
    const tried = permits.tryRun(() => gate.promise);
    const next = run("b");
    await settle();
    expect(log).toEqual(["a"]);
    gate.resolve("ran");
    expect(await tried).toBe("ran");
    await settle();
    expect(log).toEqual(["a", "b"]);
    await end("b");
    await next;
  });

  test("whatever is cancelled and whatever fails: never too many, nobody forgotten, none lost", async () => {
    const one = fc.record({ calledOff: fc.boolean(), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(one, { maxLength: 12 }), async (most, tasks) => {
        const permits = new Semaphore(most);
        const [began, at] = [[] as number[], { work: 0 }];
        const results = tasks.map(async ({ calledOff, fails }, index) => {
          const controller = new AbortController();
          const result = permits.run(async () => {
            began.push(index);
            at.work += 1;
            expect(at.work).toBeLessThanOrEqual(most);
            await settle();
            at.work -= 1;
            if (fails) throw new Error("broken");
          }, controller.signal);
          if (calledOff) controller.abort(new Error("killed"));
          return result.then(
            () => "ran",
            (error: Error) => error.message,
          );
        });
        const ended = await Promise.all(results);
        const ran = tasks.flatMap(({ calledOff }, index) => (calledOff && !began.includes(index) ? [] : [index]));
        expect(began).toEqual(ran);
        expect(ended).toEqual(tasks.map(({ fails }, index) => (!began.includes(index) ? "killed" : fails ? "broken" : "ran")));
        const all = Array.from({ length: most }, () => permits.run(() => Promise.resolve("free"), idle));
        expect(await Promise.all(all)).toEqual(new Array(most).fill("free"));
      }),
    );
  });
});

describe("Starts", () => {
  test("are over when all are that were under way, however they ended; later ones are not waited for", async () => {
    const starts = new WorktreeGate();
    const [good, bad, later] = [
      Promise.withResolvers<string>(),
      Promise.withResolvers<string>(),
      Promise.withResolvers<string>(),
    ];
    const results = Promise.allSettled([starts.run(() => good.promise), starts.run(() => bad.promise)]);
    let over = false;
    const waits = starts.over().then(() => (over = true));
    const last = starts.run(() => later.promise);
    bad.reject(new Error("no space"));
    await settle();
    expect(over).toBe(false);
    good.resolve("made");
    await waits;
    expect(await results).toMatchObject([{ value: "made" }, { reason: { message: "no space" } }]);
    later.resolve("late");
    expect(await last).toBe("late");
  });

  test("that are over hold up nobody, and are forgotten", async () => {
    const starts = new WorktreeGate();
    await starts.over();
    expect(await starts.run(() => Promise.resolve("made"))).toBe("made");
    await expect(starts.run(() => Promise.reject(new Error("no space")))).rejects.toThrow("no space");
    await starts.over();
  });
});
