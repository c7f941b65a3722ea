import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MAX_EXPECTED_OUTPUT } from "../../src/domain/batch/expect.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { Semaphore } from "../../src/loop/concurrency/semaphore.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { FakeClock } from "./fake-clock.ts";
import { Stage, type StageOptions } from "./stage.ts";

cleanUp();
const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];

type Verify = Extract<StepSpec, { step: "verify" }>;

function verify(command: Verify["command"], part: Partial<Verify> = {}): Verify {
  return { step: "verify", name: "live", command, ...part };
}

const finish = (...steps: readonly StepSpec[]): StepSpec[] => [{ step: "merge" }, ...steps, { step: "assert" }];

async function open(
  step: Verify,
  part: Partial<StageOptions> = {},
  ctx: (ctx: LoopContext) => Partial<LoopContext> = () => ({}),
): Promise<Stage> {
  return Stage.open({ tickets: [ticketOf("T-1", { finish: finish(step) })], limits: { attempts: 1 }, ...part }, ctx);
}

/** A shell script, and its arguments from `$0` on. */
const sh = (script: string, ...args: string[]): Verify["command"] => ["sh", "-c", script, ...args];

/** Counts its runs in a file, and holds from the n-th on. */
const holdsFrom = (n: number, file: string) => sh('echo x >> "$0"; [ "$(wc -l < "$0")" -ge "$1" ]', file, String(n));
const runsOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0);
/** The engine reads the tracker, and looks at bases and the harness, this often. Milliseconds. */
const LOOKS_MS = 30_000;

/** A clock that tells which long waits a step asked for, in milliseconds; the oracle waits shorter in the background. */
class Waits extends FakeClock {
  readonly asked: number[] = [];

  override after(ms: number, then: () => void): () => void {
    if (ms >= 2_000 && ms !== LOOKS_MS) this.asked.push(ms);
    return super.after(ms, then);
  }

  /** Settles once it was asked for so many. */
  until(waits: number): Promise<void> {
    return expect.poll(() => this.asked.length, { timeout: 30_000 }).toBe(waits);
  }
}

/** Runs it; what came of its verification in the finish line. */
async function verified(step: Verify, part: Partial<StageOptions> = {}) {
  using stage = await open(step, part);
  stage.start();
  await stage.ended();
  const ended = stage.of("step-ended").find((event) => event.step === 1);
  const evidence = stage.of("attempt-ended")[0]?.evidence;
  return { done: stage.ticket(T1).phase === "done", summary: ended?.summary ?? "", evidence, stage };
}

describe("what a command is expected to print", () => {
  test("is looked for on stdout alone, and in the whole of it", async () => {
    const long = `head -c ${MAX_EXPECTED_OUTPUT - 20} /dev/zero | tr '\\0' y`;
    expect((await verified(verify(sh(`echo up; ${long}`), { expect: { text: "up" } }))).done).toBe(true);
    const { done, summary, evidence } = await verified(verify(sh("echo up >&2; echo down"), { expect: { text: "up" } }));
    expect({ done, summary }).toEqual({
      done: false,
      summary: 'stdout does not hold "up"; sh -c echo up >&2; echo down exited with code 0',
    });
    expect(evidence).toMatchObject({ step: "verify", name: "live", detail: expect.stringContaining("down") });
  });

  test("is JSON of one long line, or of many", async () => {
    const json = { status: "up", parts: [{ name: "db" }] };
    const print = (text: string) => ["node", "-e", text] as const;
    const value = `{ status: "up", version: "x".repeat(100_000), parts: [{ name: "db", ms: 3 }] }`;
    for (const text of [`JSON.stringify(${value})`, `JSON.stringify(${value}, undefined, 2)`])
      expect((await verified(verify(print(`console.log(${text})`), { expect: { json } }))).done).toBe(true);
    const parts = await verified(verify(print(`console.log('{"status": "up", "parts": []}')`), { expect: { json } }));
    expect(parts).toMatchObject({ done: false, summary: expect.stringMatching(/^parts has 0 entries, not 1; /) });
  });

  test("does not make up for an exit code", async () => {
    const { done, summary } = await verified(verify(sh("echo up; exit 3"), { expect: { text: "up" } }));
    expect({ done, summary }).toEqual({ done: false, summary: "sh -c echo up; exit 3 exited with code 3" });
  });

  test.for([
    ["one line", `head -c ${MAX_EXPECTED_OUTPUT + 1} /dev/zero | tr '\\0' y; echo; echo up`],
    ["many", "echo up; yes | head -n 600000"],
  ])("is not found in more than may be, as %s", async ([, script]) => {
    const { done, summary } = await verified(verify(sh(script as string), { expect: { text: "up" } }));
    expect({ done, summary }).toMatchObject({
      done: false,
      summary: expect.stringMatching(/^it printed more than 1048576/),
    });
  });
});

describe("with a time in which it has to hold", () => {
  test("runs until it passes, and says so", async () => {
    const file = join(tempDir(), "runs");
    const { done, summary, stage } = await verified(verify(holdsFrom(3, file), { within: 60, every: 0.1, environment: "dev" }));
    expect(done).toBe(true);
    expect(summary).toMatch(/^passed on probe 3, after [\d.]+ s$/);
    // Once more in the end, with everything merged.
    expect(runsOf(file)).toBe(4);
    expect(stage.of("step-started").map(({ kind, name }) => `${kind} ${name}`)).toContain("verify live (dev)");
    expect(stage.of("step-retried")).toEqual([]);
  });

  test("one that never holds fails with its last try, and the count", async () => {
    const file = join(tempDir(), "runs");
    const command = sh('echo x >> "$0"; echo "try $(wc -l < "$0")"; exit 7', file);
    const { done, evidence } = await verified(verify(command, { within: 0.5, every: 0.2, environment: "prod" }));
    expect(done).toBe(false);
    const { summary = "", detail, ...of } = evidence ?? {};
    expect(of).toEqual({ step: "verify", name: "live (prod)" });
    const [, tries] = /exited with code 7 \((\d+) probes? in [\d.]+ s, to hold within 0\.5 s\)$/.exec(summary) ?? [];
    expect(detail).toBe(`try ${tries}`);
    // As many again in the last look.
    expect(runsOf(file)).toBeGreaterThan(Number(tries));
  });

  test("the last run begins when the time is over, and none later", async () => {
    const clock = new Waits();
    const file = join(tempDir(), "runs");
    using stage = await open(verify(holdsFrom(99, file), { within: 12 }), {}, () => ({ clock }));
    stage.start();
    for (const waits of [1, 2, 3]) {
      await clock.until(waits);
      clock.advance(clock.asked.at(-1) ?? 0);
    }
    await stage.until("attempt-ended");
    expect(clock.asked.slice(0, 3)).toEqual([5_000, 5_000, 2_000]);
    expect(stage.of("attempt-ended")[0]?.evidence?.summary).toMatch(/\(4 probes in 12\.0 s, to hold within 12 s\)$/);
  });

  test("a run that was under way when the time was over is not the last", async () => {
    const clock = new FakeClock();
    const [file, go] = ["runs", "go"].map((name) => join(tempDir(), name)) as [string, string];
    const slow = sh('echo x >> "$0"; until [ -e "$1" ]; do sleep 0.05; done; [ "$(wc -l < "$0")" -ge 2 ]', file, go);
    using stage = await open(verify(slow, { within: 12 }), {}, () => ({ clock }));
    stage.start();
    await expect.poll(() => runsOf(file), { timeout: 30_000 }).toBe(1);
    clock.advance(13_000);
    writeFileSync(go, "");
    await stage.until("attempt-ended");
    expect(stage.of("step-ended").find(({ step }) => step === 1)?.summary).toBe("passed on probe 2, after 13.0 s");
    stage.engine.orchestrator.stop("SIGTERM");
    await stage.ended();
  });

  test("what one try leaves in its checkout, and in its folder, is not there for the next", async () => {
    const seen = join(tempDir(), "seen");
    mkdirSync(seen);
    const script = `
      n=$(ls "$0" | wc -l); cat made.txt .git/planted "$1"/* > "$0/$n" 2>/dev/null
      for f in made.txt .git/planted "$1/x"; do echo poison > "$f"; done
      [ "$n" -ge 2 ]`;
    const { done } = await verified(verify(sh(script, seen, "{artifacts}"), { within: 60, every: 0.1, writes: ["made.txt"] }), {
      prepare: [["sh", "-c", "echo fresh > made.txt"]],
      work: ({ worktree }) => void writeFileSync(join(worktree, "README.md"), "work\n"),
    });
    // The look in the end is the fourth.
    expect(done).toBe(true);
    expect(readdirSync(seen).map((name) => readFileSync(join(seen, name), "utf8"))).toEqual(Array(4).fill("fresh\n"));
  });

  test("a stop in the middle of a wait ends it at once, and is no failure", async () => {
    const file = join(tempDir(), "runs");
    const clock = new Waits();
    using stage = await open(verify(holdsFrom(99, file), { within: 3600, every: 3600 }), {}, () => ({ clock }));
    stage.start();
    await clock.until(1);
    stage.engine.orchestrator.stop("SIGTERM");
    await stage.ended();
    expect(stage.of("attempt-ended").map(({ outcome }) => outcome)).toEqual(["stopped"]);
    expect(stage.ticket(T1).failures).toBe(0);
    expect([runsOf(file), clock.asked]).toEqual([1, [3_600_000]]);
  });

  test("the commands of others run while it waits", async () => {
    const go = join(tempDir(), "go");
    const waits = verify(["test", "-e", go], { within: 3600, every: 0.1 });
    const commandPermits = new Semaphore(1);
    using stage = await Stage.open(
      {
        tickets: [
          ticketOf("T-1", { finish: finish(waits) }),
          ticketOf("T-2", { finish: [{ step: "check", name: "unit", command: ["true"] }, ...finish(verify(["touch", go]))] }),
        ],
        limits: { workers: 1, attempts: 1 },
        work: async (task) => {
          if (task.ticket === T2)
            await stage.until("step-started", (e) => e.type === "step-started" && e.ticket === T1 && e.kind === "verify");
          writeFileSync(join(task.worktree, `${task.ticket}.txt`), "x\n");
          return undefined;
        },
      },
      () => ({ commandPermits }),
    );
    stage.start();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(stage.of("attempt-ended").map(({ ticket }) => ticket)).toEqual([T2, T1]);
  });
});

describe("as the last act", () => {
  /** Writes its own name to a file, and holds unless there is a file of that name beside. */
  const look = (name: string, file: string, part: Partial<Verify> = {}) =>
    verify(sh('echo "$1" >> "$0"; [ ! -e "$0-$1" ]', file, name), { name, ...part });

  async function lastLooks(file: string, lines: readonly (readonly Verify[])[]) {
    using stage = await Stage.open({
      tickets: lines.map((steps, i) =>
        ticketOf(`T-${i + 1}`, { finish: finish(...steps), dependsOn: i === 0 ? [] : [TicketId.parse(`T-${i}`)] }),
      ),
      limits: { attempts: 1 },
    });
    void stage.until("reverify-started").then(() => writeFileSync(file, ""));
    stage.start();
    await stage.ended();
    expect(stage.of("reverify-ended").map(({ reopened }) => reopened)).toEqual([0]);
    return readFileSync(file, "utf8").trim().split("\n");
  }

  test("each distinct verification runs once, dev before prod, whichever ticket landed first", async () => {
    const file = join(tempDir(), "looks");
    const [dev, prod, smoke] = ["dev", "prod", "smoke"].map((name) => look(name, file)) as [Verify, Verify, Verify];
    expect(await lastLooks(file, [[prod], [smoke, dev], [dev, prod]])).toEqual(["smoke", "dev", "prod"]);
    expect(
      await lastLooks(file, [
        [dev, prod],
        [prod, dev],
      ]),
    ).toEqual(["prod", "dev"]);
  });

  test("two of one command that expect different things, or look elsewhere, are two", async () => {
    const file = join(tempDir(), "looks");
    const one = look("a", file);
    const steps = [
      one,
      { ...one, name: "b", expect: { text: "" } },
      { ...one, environment: "prod" },
      { ...one, name: "c", within: 1 },
    ];
    expect(await lastLooks(file, [steps, steps])).toEqual(Array(4).fill("a"));
  });

  test("it has its time to hold then as well; where it does not, its ticket is reopened and told", async () => {
    const file = join(tempDir(), "looks");
    using stage = await open(look("dev", file, { within: 0.4, every: 0.1, environment: "dev" }));
    void stage.until("reverify-started").then(() => writeFileSync(`${file}-dev`, ""));
    stage.start();
    await stage.ended();
    expect(stage.of("reverify-ended")[0]).toMatchObject({ reopened: 1 });
    const [reopened] = stage.of("ticket-reopened");
    expect(reopened?.evidence.name).toBe("dev (dev)");
    expect(reopened?.evidence.summary).toMatch(/^after all was merged: .*\(\d+ probes? in [\d.]+ s, to hold within 0\.4 s\)$/);
  });
});
