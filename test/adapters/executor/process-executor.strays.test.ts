import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { isAlive, processId } from "../../../src/adapters/executor/process-id.ts";
import { createProcessTable, readFences } from "../../../src/adapters/executor/process-table.ts";
import { createProcessTreeWatch } from "../../../src/adapters/executor/process-tree-watch.ts";
import { sweep } from "../../../src/adapters/executor/sweep.ts";
import type { ProcessId } from "../../../src/ports/executor.ts";
import { program, requestOf, strayPid, until, useFolder } from "./support.ts";

const folder = useFolder();
const leaveBehind = program("leave-behind.sh");

/** Notes who the stray is while it lives: when the program says READY. */
function noteStray() {
  const stray: { id?: ProcessId | undefined; wasAlive?: boolean } = {};
  return {
    stray,
    onLine: (line: string) => {
      if (line !== "READY") return;
      stray.id = processId(strayPid(folder()) ?? -1);
      stray.wasAlive = stray.id !== undefined && isAlive(stray.id);
    },
  };
}

function expectDead(stray: ReturnType<typeof noteStray>["stray"]) {
  expect(stray.wasAlive).toBe(true);
  expect(stray.id && isAlive(stray.id)).toBe(false);
}

describe("everything a program started is dead when run settles", () => {
  const kinds = ["background", "setsid", "daemon", "stubborn", "reparented"];

  it.each(kinds)("a %s process, after the program exited by itself", async (kind) => {
    const { stray, onLine } = noteStray();
    // The stray must be seen alive before its end, so the program stays until that was done, and then leaves by itself.
    const request = requestOf({
      cwd: folder(),
      argv: ["/bin/sh", "-c", '"$@"; while [ ! -e seen ]; do sleep 0.01; done; exit 3', "sh", leaveBehind, kind, folder()],
      onLine: (line) => {
        onLine(line);
        writeFileSync(join(folder(), "seen"), "");
      },
    });
    const result = await createExecutor().run(request);
    expect(result).toMatchObject({ ending: "exited", exitCode: 3, tail: "READY\n" });
    expectDead(stray);
  });

  it.each([...kinds, "cleared"])("a %s process, after an abort", async (kind) => {
    const { stray, onLine } = noteStray();
    const controller = new AbortController();
    const result = await createExecutor().run(
      requestOf({
        argv: [leaveBehind, kind, folder(), "stay"],
        signal: controller.signal,
        onLine: (line) => {
          onLine(line);
          controller.abort();
        },
      }),
    );
    expect(result.ending).toBe("aborted");
    expectDead(stray);
  });

  it("also a process that was started by one that had left before", async () => {
    const { stray, onLine } = noteStray();
    const script = 'setsid sh -c "$0 setsid ." & wait; while [ ! -e stray.pid ]; do sleep 0.01; done';
    const result = await createExecutor().run(requestOf({ argv: ["/bin/sh", "-c", script, leaveBehind], onLine }));
    expect(result.ending).toBe("exited");
    expectDead(stray);
  });
});

describe("a process that neither session nor environment tell", () => {
  it("is known by its parents once it was seen, also when they are gone", async () => {
    const read = createProcessTable();
    const { stray, onLine } = noteStray();
    const started = Promise.withResolvers<ProcessId>();
    const ready = Promise.withResolvers<void>();
    const run = createExecutor().run(
      requestOf({
        argv: [leaveBehind, "cleared", folder(), "stay"],
        onStart: started.resolve,
        onLine: (line) => {
          onLine(line);
          ready.resolve();
        },
      }),
    );
    const main = await started.promise;
    using family = createProcessTreeWatch(read, 10)(main);
    await ready.promise;
    await until("it was seen", () => family.seen.has(stray.id?.pid ?? -1));
    process.kill(main.pid, "SIGKILL");
    await run;
    expect(stray.id && isAlive(stray.id)).toBe(true);
    const { killed } = await sweep({ mains: [], seen: family.seen, markers: new Set(), notBefore: Number(main.startTime) }, read);
    expect(killed).toBeGreaterThanOrEqual(1);
    expectDead(stray);
  });

  it("is known by the output it still holds, though its parents went at once", async () => {
    const script =
      "env -i PATH=\"$PATH\" setsid sh -c 'echo $$ > stray.new; mv stray.new stray.pid; sleep 1000; :' & while [ ! -e stray.pid ]; do sleep 0.01; done; echo READY; exit 0";
    const { stray, onLine } = noteStray();
    const result = await createExecutor().run(requestOf({ argv: ["/bin/sh", "-c", script], onLine }));
    expect(result).toMatchObject({ ending: "exited", exitCode: 0, tail: "READY\n" });
    expectDead(stray);
  });

  it("is forgotten when it is gone, so that its pid tells nothing later", async () => {
    const started = Promise.withResolvers<ProcessId>();
    const below = Promise.withResolvers<number>();
    const run = createExecutor().run(
      requestOf({
        argv: ["/bin/sh", "-c", "sleep 1000 & echo $!; wait; echo gone; exec sleep 1000"],
        timeoutMs: 1_000,
        onStart: started.resolve,
        onLine: (line) => below.resolve(Number(line)),
      }),
    );
    using family = createProcessTreeWatch(createProcessTable(), 10)(await started.promise);
    const pid = await below.promise;
    await until("it was seen", () => family.seen.has(pid));
    process.kill(pid, "SIGKILL");
    await until("it was forgotten", () => !family.seen.has(pid));
    expect((await run).ending).toBe("out-of-time");
  });
});

describe("the table of processes", () => {
  it("lists the young and not the old, also when it remembers them", async () => {
    const read = createProcessTable();
    const own = processId(process.pid);
    expect(own).toBeDefined();
    const since = Number(own?.startTime);
    for (let again = 0; again < 2; again += 1) {
      expect((await read(since)).map((row) => row.pid)).toContain(process.pid);
      expect((await read(since + 1)).map((row) => row.pid)).not.toContain(process.pid);
      expect((await read(0)).map((row) => row.pid)).toContain(process.pid);
    }
    expect((await read(0)).some((row) => row.kernelThread)).toBe(false);
  });

  it("reads the fence of a process whole, and none where there is none", async () => {
    const fences: (readonly string[])[] = [];
    const request = requestOf({
      argv: ["/bin/sleep", "1000"],
      env: { A: "LOOPDASH_FENCE=no", XLOOPDASH_FENCE: "no" },
      timeoutMs: 50,
    });
    await createExecutor().run({ ...request, onStart: ({ pid }) => fences.push(readFences(pid)) });
    expect(fences).toEqual([[request.marker]]);
    expect(readFences(2 ** 30)).toEqual([]);
  });
});
