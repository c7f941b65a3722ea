import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type IPty, spawn as spawnTerminal } from "@lydell/node-pty";
import { describe, expect, test } from "vitest";
import { lastingPrinter, linePrinter } from "../../src/cli/lines.ts";
import { writeAll } from "../../src/cli/print.ts";
import type { RunFact } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../domain/simulate.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { FakeClock } from "../loop/fake-clock.ts";

const folder = scratchFolder();
const SRC = resolve(import.meta.dirname, "../../src");

/** Runs a few lines over src/ in a process of their own. */
function inProcess(body: string, over: { env?: Record<string, string>; stdout?: number } = {}) {
  const file = join(folder(), "script.ts");
  writeFileSync(
    file,
    `import { printDefect, printUserError, writeAll } from "${SRC}/cli/print.ts";
import { closedStdout, isInteractive, refuseClosedStdout, refuseSmallTerminal } from "${SRC}/cli/terminal.ts";
import { UserError } from "${SRC}/domain/values/user-error.ts";
const _ = [printDefect, printUserError, writeAll, closedStdout, isInteractive, refuseClosedStdout, refuseSmallTerminal, UserError];
${body}`,
  );
  const { PATH = "" } = process.env;
  const env = { PATH, ...over.env };
  return spawnSync(process.execPath, [file], { encoding: "utf8", env, stdio: ["ignore", over.stdout ?? "pipe", "pipe"] });
}

describe("errors on the terminal", () => {
  test("a user's error is what, why and what to do, each line plain; a list keeps its lines", () => {
    const { stderr } = inProcess(
      String.raw`printUserError(new UserError({ what: "cannot \u001b[2Jread", why: "a.json:1:2 bad\nb.json:3:4\u202e worse", todo: "Fix\tit.", exitCode: 2 }));`,
    );
    expect(stderr).toBe("loopdash: cannot read\n  why: a.json:1:2 bad\n       b.json:3:4 worse\n  do:  Fix it.\n");
  });

  test("a defect is said on three lines, with its stack only where that is asked for", () => {
    const body = String.raw`printDefect(new Error("boom\u001b]0;x\u0007\nsecond"));`;
    const { stderr } = inProcess(body);
    expect(stderr).toBe(
      "loopdash: boom second\n  why: this should not happen; it is a defect of loopdash\n  do:  set LOOPDASH_DEBUG=1 for the details and report it\n",
    );
    expect(inProcess(body, { env: { LOOPDASH_DEBUG: "1" } }).stderr).toContain("script.ts");
    expect(inProcess(`printDefect("text");`).stderr).toContain("loopdash: text\n");
  });
});

describe("writing", () => {
  test("all of a long text arrives through a pipe that is read slowly", () => {
    const { stdout } = inProcess(`writeAll(1, "é".repeat(300_000)); writeAll(1, "end");`);
    expect(stdout).toBe(`${"é".repeat(300_000)}end`);
  });

  test("a reader that is gone is no error; a full disk is", () => {
    const file = join(folder(), "x");
    const fd = openSync(file, "w");
    writeAll(fd, "one");
    closeSync(fd);
    writeAll(fd, "two");
    expect(readFileSync(file, "utf8")).toBe("one");
    const full = openSync("/dev/full", "w");
    expect(() => writeAll(full, "x")).toThrow("ENOSPC");
    closeSync(full);
  });

  test("a terminal that is gone is no error: what ends the run in order still runs", async () => {
    const out = join(folder(), "out");
    const script = join(folder(), "script.ts");
    writeFileSync(
      script,
      `import { writeFileSync } from "node:fs";
import { writeAll } from "${SRC}/cli/print.ts";
process.on("SIGHUP", () => {
  let said = "survived";
  try { writeAll(1, "x"); } catch (error) { said = String(error); }
  writeFileSync("${out}", said);
  process.exit(7);
});
setInterval(() => undefined, 1000);
writeAll(1, "ready");
`,
    );
    const terminal = spawnTerminal(process.execPath, [script], { cols: 80, rows: 24, env: { PATH: process.env["PATH"] ?? "" } });
    const ended = new Promise<number>((done) => terminal.onExit(({ exitCode }) => done(exitCode)));
    await new Promise<void>((ready) => terminal.onData((text) => text.includes("ready") && ready()));
    // Closing our side hangs the terminal up: SIGHUP, and every write fails with EIO.
    (terminal as IPty & { destroy(): void }).destroy();
    expect(await ended).toBe(7);
    expect(readFileSync(out, "utf8")).toBe("survived");
  });

  test("a story that cannot be told any further never throws, and does not go on in the middle", () => {
    const { state, events } = new Simulation(batchOf([ticketOf("T-1")]));
    const [first] = events;
    if (first === undefined) throw new Error("no event");
    const full = openSync("/dev/full", "w");
    const print = linePrinter("json", full);
    print(first, state);
    print(first, state);
    closeSync(full);
    const file = join(folder(), "story");
    const fd = openSync(file, "w");
    const tell = linePrinter("json", fd);
    tell(first, state);
    tell({ ...first, seq: 2 }, state);
    closeSync(fd);
    expect(
      readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).seq),
    ).toEqual([1, 2]);
  });
});

describe("a run without a terminal", () => {
  const T1 = TicketId.parse("T-1");

  /** A run of one ticket, whose facts are printed; gives the printed lines without their times of day. */
  function printed() {
    const check = { step: "check", name: "tests", command: ["npm", "test"] } as const;
    const sim = new Simulation(batchOf([ticketOf("T-1", { finish: [check, { step: "merge" }] })]));
    const file = join(folder(), "lines");
    const fd = openSync(file, "w");
    const clock = new FakeClock();
    const { print, stop } = lastingPrinter(() => sim.state, { clock, fd });
    const tell = (fact: RunFact) => {
      // The simulation has a clock of its own, which every fact moves by 10 ms.
      sim.pass(clock.now() - sim.now - 10);
      sim.report(fact);
      const event = sim.events.at(-1);
      if (event !== undefined) print({ ...event, at: clock.now() }, sim.state);
    };
    const lines = () =>
      readFileSync(file, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => line.slice("15:27:13  ".length));
    return { sim, clock, tell, lines, stop, [Symbol.dispose]: () => closeSync(fd) };
  }

  /** Its agent ends, and its check begins. */
  function begin({ sim, tell }: ReturnType<typeof printed>) {
    sim.decide();
    sim.endAgent(T1);
    tell({ type: "change-captured", ...sim.of(T1), tip: "t", files: 1, additions: 1, deletions: 0 });
    tell({ type: "step-started", ...sim.of(T1), step: 0, kind: "check", name: "tests" });
    tell({ type: "step-part-started", ...sim.of(T1), part: "", expectedMs: 42_000 });
  }

  test("says every 30 s what lasts, as long as nothing else is printed, and not after its end", () => {
    using run = printed();
    const { sim, clock, tell, lines, stop } = run;
    clock.advance(60_000);
    expect(lines()).toEqual([]);
    begin(run);
    clock.advance(29_000);
    expect(lines()).toEqual([]);
    clock.advance(31_000);
    expect(lines()).toEqual([
      "·  · waiting 1:30: T-1 check tests 0:30 of about 0:42",
      "·  · waiting 2:00: T-1 check tests 1:00 of about 0:42",
    ]);
    tell({ type: "step-ended", ...sim.of(T1), step: 0, ok: true, summary: "12 tests" });
    clock.advance(29_000);
    expect(lines().slice(2)).toEqual(["T-1  ✔ check tests: 12 tests"]);
    clock.advance(1_000);
    expect(lines().at(-1)).toMatch(/^· {2}· waiting 0:30: T-1 waits for its turn: merge 0:30$/);
    stop();
    clock.advance(300_000);
    expect(lines()).toHaveLength(4);
    expect(clock.waiting).toBe(0);
  });

  test("says nothing of what lasts once the run has ended", () => {
    using run = printed();
    begin(run);
    run.tell({ type: "run-ended", kind: "interrupted", verdict: "unjudged", exitCode: 1, reason: "stopped" });
    run.clock.advance(120_000);
    expect(run.lines()).toEqual(["·  ✖ run ended: stopped"]);
  });
});

describe("standard output", () => {
  const check = `try { refuseClosedStdout(); writeAll(2, "fine"); } catch (e) { writeAll(2, e.what + " / " + e.why + " / " + e.exitCode); }`;

  test("closed by the caller is refused; /dev/null, a file and a pipe are fine", () => {
    const script = join(folder(), "script.ts");
    inProcess(check);
    const closed = spawnSync("sh", ["-c", '"$0" "$1" >&-', process.execPath, script], { encoding: "utf8" });
    expect(closed.stderr).toBe("nothing can be written to standard output / it was closed before loopdash started / 2");
    expect(spawnSync("sh", ["-c", '"$0" "$1" >/dev/null', process.execPath, script], { encoding: "utf8" }).stderr).toBe("fine");
    const fd = openSync(join(folder(), "out"), "w");
    expect(inProcess(check, { stdout: fd }).stderr).toBe("fine");
    closeSync(fd);
    expect(inProcess(check).stderr).toBe("fine");
  });

  test("a dashboard needs a terminal that is large enough, and neither a dumb one nor CI", () => {
    const terminal = (columns: number, rows: number) =>
      `Object.assign(process.stdout, { isTTY: true, columns: ${columns}, rows: ${rows} }); Object.defineProperty(process, "stdin", { value: { isTTY: true } });`;
    const ask = `writeAll(2, String(isInteractive()));`;
    const shown = (env: Record<string, string>, body = terminal(80, 24)) => inProcess(`${body}${ask}`, { env }).stderr;
    expect(shown({ TERM: "xterm" })).toBe("true");
    expect(shown({ TERM: "dumb" })).toBe("false");
    expect(shown({ TERM: "xterm", CI: "1" })).toBe("false");
    expect(shown({ TERM: "xterm" }, "")).toBe("false");
    const small = `try { refuseSmallTerminal("--headless"); writeAll(2, "fine"); } catch (e) { writeAll(2, e.why + " / " + e.exitCode); }`;
    const size = (columns: number, rows: number) => inProcess(`${terminal(columns, rows)}${small}`).stderr;
    expect(size(60, 15)).toBe("fine");
    expect(size(59, 15)).toBe("it has 59 columns and 15 rows; 60 and 15 are needed / 2");
    expect(size(60, 14)).toContain("60 columns and 14 rows");
  });
});
