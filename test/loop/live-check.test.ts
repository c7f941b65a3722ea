import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, Stage, type StageOptions } from "./stage.ts";

cleanUp();
const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];

/** A shell command that counts its runs in a file and passes while `passes` holds of the count. */
function live(file: string, passes: string) {
  const script = `echo x >> "$0"; n=$(wc -l < "$0"); echo "look $n"; [ ${passes} ]`;
  return { step: "verify" as const, name: "live", command: ["sh", "-c", script, file] as const };
}

const runsOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0);

function open(passes: string, options: Partial<StageOptions> = {}) {
  const file = join(tempDir(), "looks");
  const finish = [{ step: "gates" as const }, { step: "merge" as const }, live(file, passes), { step: "assert" as const }];
  const tickets = [ticketOf("T-1", { finish }), ticketOf("T-2", { dependsOn: [T1] })];
  const stage = Stage.open({ tickets, limits: { attempts: 3 }, live: { repeats: 3, everySeconds: 0.1 }, ...options });
  return stage.then((opened) => ({ stage: opened, file }));
}

describe("a verify that fails after the landing", () => {
  test("once, and then passes, is repeated without an agent, and its dependents go on", async () => {
    const { stage: opened, file } = await open('"$n" -gt 1');
    using stage = opened;
    stage.start();
    const state = await stage.ended();
    expect(state.end).toMatchObject({ verdict: "done", exitCode: 0 });
    expect(stage.tasks.map(({ ticket }) => ticket)).toEqual([T1, T2]);
    expect(stage.ticket(T1)).toMatchObject({
      phase: "done",
      failures: 0,
      history: [{ outcome: "landed" }],
      live: { history: [{ ok: false }, { ok: true }] },
    });
    expect(stage.ticket(T1).mergedSha).toBe(stage.ticket(T1).live?.sha);
    expect(state.claims).toEqual({ made: 2, upheld: 2 });
    // The finish line, one repeat, the last look.
    expect(runsOf(file)).toBe(3);
  });

  test("frees its slot, and holds back its dependents, while it waits", async () => {
    const { stage: opened } = await open('"$n" -gt 2', { live: { repeats: 3, everySeconds: 300 } });
    using stage = opened;
    stage.start();
    await stage.until("attempt-ended");
    expect(stage.state.slots.every((slot) => slot === null)).toBe(true);
    expect(stage.ticket(T1)).toMatchObject({ phase: "landed", failures: 0, live: { failed: 1, detail: "look 1" } });
    expect(stage.ticket(T1).live?.nextAt).toBeGreaterThan(Date.now() + 60_000);
    expect(stage.ticket(T2)).toMatchObject({ phase: "waiting", openDeps: 1 });
    stage.engine.orchestrator.command({ type: "verify", ticket: T1 });
    await stage.until("live-check-ended");
    // What a person asks for takes the place of no repeat.
    expect(stage.ticket(T1)).toMatchObject({ phase: "landed", live: { failed: 2, requested: 1, detail: "look 2" } });
    expect(stage.ticket(T1).live?.nextAt).toBeGreaterThan(Date.now() + 60_000);
    stage.engine.orchestrator.command({ type: "verify" });
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(stage.state.interventions.map((i) => i.class)).toEqual(["I2", "I2"]);
  });

  test("is not mended by a repair that only takes back what the ticket has landed", async () => {
    const { stage: opened } = await open("! -e T-1.txt", {
      limits: { attempts: 2 },
      live: { repeats: 0, everySeconds: 0.1 },
      work: (task) => {
        if (task.attempt === 1) return oneFile(task);
        rmSync(join(task.worktree, "T-1.txt"));
        return undefined;
      },
    });
    using stage = opened;
    stage.start();
    const state = await stage.ended();
    expect(state.end).toMatchObject({ exitCode: 1 });
    expect(stage.git("show", "main:T-1.txt")).toBe("1");
    const sha = stage.ticket(T1).mergedSha?.slice(0, 7);
    expect(stage.ticket(T1)).toMatchObject({
      phase: "landed",
      history: [{ outcome: "landed" }, { outcome: "failed", summary: `it only takes back what the ticket has landed (${sha})` }],
    });
  });

  test("may be mended by moving its change within its file", async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`);
    const { stage: opened } = await open('"$(sed -n 28p T-1.txt)" = moved', {
      limits: { attempts: 2 },
      live: { repeats: 0, everySeconds: 0.1 },
      work: (task) => {
        if (task.ticket !== T1) return oneFile(task);
        writeFileSync(join(task.worktree, "T-1.txt"), `${lines.toSpliced(task.attempt === 1 ? 2 : 27, 0, "moved").join("\n")}\n`);
        return undefined;
      },
    });
    using stage = opened;
    writeFileSync(join(stage.user, "T-1.txt"), `${lines.join("\n")}\n`);
    stage.git("add", "T-1.txt");
    stage.git("commit", "-m", "a file of 30 lines");
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
  });

  test("may be mended by taking back a repair that was wrong", async () => {
    // Healthy from the third look on, and only with what the first attempt built.
    const { stage: opened } = await open('"$n" -gt 2 -a "$(cat T-1.txt)" = 1', {
      limits: { attempts: 3 },
      live: { repeats: 0, everySeconds: 0.1 },
      work: ({ worktree, ticket, attempt }) => {
        writeFileSync(join(worktree, `${ticket}.txt`), ticket === T1 && attempt === 2 ? "2" : "1");
        return undefined;
      },
    });
    using stage = opened;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(stage.ticket(T1).history.map(({ outcome }) => outcome)).toEqual(["landed", "landed", "done"]);
  });

  test("for long brings an agent after the repeats, which is told what landed and what the checks said", async () => {
    const { stage: opened, file } = await open('-e fixed.txt -o "$n" -gt 99', {
      work: (task) => {
        if (task.attempt > 1) writeFileSync(join(task.worktree, "fixed.txt"), "fixed\n");
        return oneFile(task);
      },
    });
    using stage = opened;
    stage.start();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.tasks.map(({ ticket, attempt }) => `${ticket}/${attempt}`)).toEqual(["T-1/1", "T-1/2", "T-2/1"]);
    expect(stage.ticket(T1)).toMatchObject({ failures: 1, history: [{ outcome: "landed" }, { outcome: "done" }] });
    const prompt = readFileSync(stage.tasks[1]?.promptFile ?? "", "utf8");
    const first = stage.of("merge-landed")[0]?.to ?? "";
    expect(prompt).toContain(`as commit ${first.slice(0, 12)}`);
    expect(prompt).toContain("- T-1.txt");
    expect(prompt.match(/^- .* UTC: failed: /gm)).toHaveLength(4);
    expect(runsOf(file)).toBe(6);
    expect(state.claims).toEqual({ made: 3, upheld: 2 });
  });

  test("whose agent changes nothing is checked again, as often as there are attempts, and stays landed", async () => {
    const { stage: opened, file } = await open('"$n" -gt 99', {
      work: (task) => (task.attempt === 1 ? oneFile(task) : undefined),
      live: { repeats: 1, everySeconds: 0.1 },
    });
    using stage = opened;
    stage.start();
    const state = await stage.ended();
    expect(state.end).toMatchObject({ verdict: "not-done", exitCode: 1, reason: expect.stringContaining("landed as") });
    expect(stage.tasks).toHaveLength(3);
    const t1 = stage.ticket(T1);
    expect(t1).toMatchObject({ phase: "landed", failures: 3, history: [{}, { outcome: "landed" }, { outcome: "landed" }] });
    // Two after the last agent, and the last look.
    expect(t1.live?.givenUp).toMatch(/3 live checks in a row failed: .*exited with code 1/);
    // Two of the landing, two after each agent, the last look.
    expect(runsOf(file)).toBe(7);
    expect(stage.of("reverify-ended").at(-1)).toMatchObject({ reopened: 0, checked: 1, notLive: 1 });
    expect((await stage.tracker().snapshot())[0]?.state.as).toBe("open");
  });

  test("that was given up, and passes at the last look, is done, and its dependents run", async () => {
    const { stage: opened } = await open('"$n" -gt 2', { limits: { attempts: 1 }, live: { repeats: 1, everySeconds: 0.1 } });
    using stage = opened;
    stage.start();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.of("live-check-started").map(({ why }) => why)).toEqual(["due", "end"]);
    expect(stage.ticket(T2).phase).toBe("done");
  });
});

describe("a done ticket whose re-verification fails", () => {
  test("is landed and checked again, without an agent", async () => {
    const { stage: opened, file } = await open('"$n" -ne 2');
    using stage = opened;
    stage.start();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.tasks).toHaveLength(2);
    expect(state.incidents.map(({ kind }) => kind)).toContain("reopened");
    expect(runsOf(file)).toBe(4);
    expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 0, live: { reopened: 1 } });
  });

  test("by turns passes and fails only so often", async () => {
    // Passes in the finish line and at each repeat, and fails at each last look.
    const { stage: opened } = await open('"$(($n % 2))" -eq 1', { limits: { attempts: 2 } });
    using stage = opened;
    stage.start();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(1);
    expect(stage.tasks).toHaveLength(2);
    expect(stage.ticket(T1).live?.givenUp).toMatch(/passed and failed again 3 times/);
  });
});

describe("an engine that is lost", () => {
  test("in the middle of a live check repeats it", async () => {
    const { stage: opened } = await open('"$n" -gt 2', { live: { repeats: 3, everySeconds: 0.1 } });
    using stage = opened;
    await stage.crashAt((event) => event.type === "live-check-started");
    expect(stage.state.counts.landed).toBe(1);
    await stage.crashAndReopen();
    expect(stage.ticket(T1).live?.checking).toBe(true);
    await stage.resume();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.tasks).toHaveLength(2);
  });

  test("while it waits for the next check checks at once when it is back", async () => {
    const { stage: opened } = await open('"$n" -gt 1', { live: { repeats: 3, everySeconds: 300 } });
    using stage = opened;
    await stage.crashAt((event) => event.type === "attempt-ended");
    await stage.crashAndReopen();
    await stage.resume();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(stage.tasks).toHaveLength(2);
  });
});

test("a landed ticket that a person gates has no planned check any more", async () => {
  const { stage: opened } = await open('"$n" -gt 9', { live: { repeats: 3, everySeconds: 300 } });
  using stage = opened;
  stage.start();
  await stage.until("attempt-ended");
  stage.engine.orchestrator.command({ type: "gate", ticket: T1, step: "restart the server" });
  await stage.until("ticket-gated");
  expect(stage.ticket(T1)).toMatchObject({ phase: "human-gated", live: { failed: 1 } });
  expect(stage.ticket(T1).live).not.toHaveProperty("nextAt", expect.anything());
});
