import { execFile, execFileSync } from "node:child_process";
import { appendFileSync, constants, existsSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { LINE_CUT_MARK, LINE_MAX_CHARS } from "../../../src/adapters/executor/lines.ts";
import { LOG_CUT_MARK, LOG_MAX_BYTES } from "../../../src/adapters/executor/log-file.ts";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { isAlive } from "../../../src/adapters/executor/process-id.ts";
import { TAIL_BYTES } from "../../../src/adapters/executor/tail.ts";
import type { ProcessId } from "../../../src/ports/executor.ts";
import { program, requestOf, until, useFolder } from "./support.ts";

const folder = useFolder();
const log = () => join(folder(), "log");
const flood = (bytes: number, ...more: string[]) => [process.execPath, program("flood.mjs"), String(bytes), ...more];

describe("lines", () => {
  it("come whole across writes, UTF-8 and CR LF borders, with their stream", async () => {
    const bytes = ["e2", "82ac0d", "0a0d31300d", "32300a", "ff00fe0a", "c3a9"];
    const lines: string[] = [];
    const argv = [process.execPath, program("raw-bytes.mjs"), ...bytes];
    const result = await createExecutor().run(requestOf({ argv, onLine: (line, stream) => lines.push(`${stream}:${line}`) }));
    expect(lines).toEqual(["stdout:€", "stdout:10", "stdout:20", "stdout:\ufffd\0\ufffd", "stdout:é"]);
    expect(result.tail).toBe("€\r\n\r10\r20\n\ufffd\0\ufffd\né");
    expect(readFileSync(log())).toEqual(Buffer.from(bytes.join(""), "hex"));
  });

  it("are cut when they are too long", async () => {
    const lines: string[] = [];
    const script = "head -c 200000 /dev/zero | tr '\\0' y; echo; echo next";
    await createExecutor().run(requestOf({ argv: ["/bin/sh", "-c", script], onLine: (line) => lines.push(line) }));
    expect(lines.map((line) => line.length)).toEqual([LINE_MAX_CHARS, 4]);
    expect(lines[0]?.endsWith(`y${LINE_CUT_MARK}`)).toBe(true);
  });
});

describe("the log", () => {
  it("is appended to, in folders that are made", async () => {
    const logFile = join(folder(), "a/b/log");
    const executor = createExecutor();
    await executor.run(requestOf({ argv: ["echo", "one"], logFile }));
    await executor.run(requestOf({ argv: ["echo", "two"], logFile }));
    expect(readFileSync(logFile, "utf8")).toBe("one\ntwo\n");
  });

  it("is bounded with one mark, over several programs, and the tail goes on", async () => {
    const executor = createExecutor();
    const first = await executor.run(requestOf({ argv: flood(LOG_MAX_BYTES + 5_000_000) }));
    expect(first.tail).toBe("x".repeat(TAIL_BYTES));
    const second = await executor.run(requestOf({ argv: ["echo", "more"] }));
    expect(second.tail).toBe("more\n");
    expect(statSync(log()).size).toBe(LOG_MAX_BYTES);
    expect(readFileSync(log(), "utf8").split(LOG_CUT_MARK)).toEqual(["x".repeat(LOG_MAX_BYTES - LOG_CUT_MARK.length), ""]);
  });

  it("filled to the last byte before still gets its mark", async () => {
    writeFileSync(log(), "z".repeat(LOG_MAX_BYTES - LOG_CUT_MARK.length));
    await createExecutor().run(requestOf({ argv: ["echo", "more"] }));
    expect(readFileSync(log(), "utf8").endsWith(`z${LOG_CUT_MARK}`)).toBe(true);
  });

  it("on a full disk stops nothing and is told in the tail", async () => {
    const result = await createExecutor().run(requestOf({ argv: flood(3_000_000), logFile: "/dev/full" }));
    expect(result).toMatchObject({ ending: "exited", exitCode: 0 });
    expect(result.tail).toMatch(/^x{65536}\n\[loopdash: the log could not be written: ENOSPC: .*\]$/);
  });

  it("that cannot be opened stops nothing and is told in the tail", async () => {
    appendFileSync(join(folder(), "file"), "");
    const result = await createExecutor().run(requestOf({ argv: ["echo", "hi"], logFile: join(folder(), "file/log") }));
    expect(result).toMatchObject({ ending: "exited", exitCode: 0 });
    expect(result.tail).toMatch(/^hi\n\n\[loopdash: the log could not be opened: ENOTDIR: .*\]$/);
  });
});

describe("memory", () => {
  it("does not grow with 100 MB of output in one line", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program("flood-an-engine.mjs"), folder(), "100000000"]);
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({ ending: "exited", tail: TAIL_BYTES, lines: 2 });
    expect(report).toHaveProperty("grewMb");
    expect((report as { grewMb: number }).grewMb).toBeLessThan(30);
  });

  it("a disk that takes nothing holds the program up, and that is not silence", async () => {
    execFileSync("mkfifo", [log()]);
    // Open for both, so that neither end waits; unknown files were ignored: until the program is dead.
    const pipe = openSync(log(), constants.O_RDWR | constants.O_NONBLOCK);
    const counted = join(folder(), "count");
    const controller = new AbortController();
    let main: ProcessId | undefined;
    const run = createExecutor().run(
      requestOf({
        argv: flood(100_000_000, counted),
        signal: controller.signal,
        silenceMs: 500,
        onStart: (id) => {
          main = id;
        },
      }),
    );
    let last = { written: 0, at: 0 };
    await until("the program was held up for a second, or could write far too much", () => {
      const written = existsSync(counted) ? Number(readFileSync(counted, "utf8")) : 0;
      if (written !== last.written) last = { written, at: performance.now() };
      return written > 4_000_000 || (written > 0 && performance.now() - last.at > 1_000);
    });
    controller.abort();
    await until("the program was ended", () => main !== undefined && !isAlive(main));
    await emptyUntil(pipe, run);
    expect((await run).ending).toBe("aborted");
    expect(last.written).toBeLessThan(4_000_000);
  });
});

/** Reads a FIFO until the run is settled. */
async function emptyUntil(pipe: number, run: Promise<unknown>): Promise<void> {
  const reader = await open(`/proc/self/fd/${pipe}`, constants.O_RDONLY | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(64 * 1024);
  for (let over = false; !over; ) {
    over = await Promise.race([run.then(() => true), setTimeout(1, false)]);
    await reader.read(buffer).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EAGAIN") throw error;
    });
  }
  await reader.close();
}
