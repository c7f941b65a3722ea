import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import { filing } from "./tracker-filing.ts";
import type { TrackerUnderTest } from "./tracker-kinds.ts";
import { looking } from "./tracker-looking.ts";

const A = TicketId.parse("T-1");
const B = TicketId.parse("T-2");
const C = TicketId.parse("T-3");
const IDS = [A, B, C];
const CHILD = fileURLToPath(new URL("./tracker-child.ts", import.meta.url));

/** What every tracker adapter must do, whatever it is made of. tracker-files.ts has what those with files of their own must do. */
export function trackerContract(under: TrackerUnderTest): void {
  describe(`tracker contract: ${under.kind}`, () => {
    let folder = "";
    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), "loopdash-tracker-")));
      await under.seed(folder, IDS);
    });
    afterEach(async () => {
      await under.close?.(folder);
      await rm(folder, { recursive: true, force: true });
    });

    readingAndSetting(under, () => folder);
    looking(under, () => folder);
    filing(under, () => folder);
    refusals(under, () => folder);
    mishaps(under, () => folder);
  });
}

function readingAndSetting(under: TrackerUnderTest, folder: () => string): void {
  test("a snapshot has the batch's tickets, in the batch's order, and no others", async () => {
    expect(await under.open(folder(), [C, A]).snapshot()).toMatchObject([
      { id: C, title: "Title of T-3", state: { as: "open" } },
      { id: A, title: "Title of T-1", state: { as: "open" } },
    ]);
  });

  test("what is set is read back, also by another reader, and touches no other ticket", async () => {
    const tracker = under.open(folder(), IDS);
    await tracker.set(A, { as: "done" }, "merged 0123abc");
    await tracker.set(B, { as: "human-gated", step: 'press "deploy" \\ then wait: # é 日本' }, "gated");
    for (const reader of [tracker, under.open(folder(), IDS)]) {
      expect((await reader.snapshot()).map((t) => t.state)).toEqual([
        { as: "done" },
        { as: "human-gated", step: 'press "deploy" \\ then wait: # é 日本' },
        { as: "open" },
      ]);
    }
    await tracker.set(A, { as: "open" }, "");
    await tracker.set(B, { as: "done" }, "");
    expect((await tracker.snapshot()).map((t) => t.state.as)).toEqual(["open", "done", "open"]);
  });

  test("setting what is already so writes nothing", async () => {
    const tracker = under.open(folder(), IDS);
    await tracker.set(B, { as: "human-gated", step: "press deploy" }, "first");
    const before = await under.contentOf(folder());
    await tracker.set(B, { as: "human-gated", step: " press deploy " }, "second");
    await tracker.set(B, { as: "human-gated", step: "press deploy" }, "third", [{ as: "open" }]);
    expect(await under.contentOf(folder())).toEqual(before);
    await tracker.set(B, { as: "human-gated", step: "press another" }, "fourth");
    expect((await tracker.snapshot())[1]?.state).toEqual({ as: "human-gated", step: "press another" });
  });

  test("many sets at once all land", async () => {
    const ids = Array.from({ length: 20 }, (_, n) => TicketId.parse(`M-${n}`));
    const place = join(folder(), "many");
    mkdirSync(place);
    await under.seed(place, ids);
    const tracker = under.open(place, ids);
    await Promise.all(ids.map((id) => tracker.set(id, { as: "done" }, "")));
    expect((await tracker.snapshot()).every((t) => t.state.as === "done")).toBe(true);
  });

  test("two trackers on the same place do not undo each other", async () => {
    const [one, two] = [under.open(folder(), IDS), under.open(folder(), IDS)];
    await Promise.all([one.set(A, { as: "done" }, ""), two.set(B, { as: "done" }, ""), one.set(C, { as: "done" }, "")]);
    expect((await one.snapshot()).map((t) => t.state.as)).toEqual(["done", "done", "done"]);
  });
}

function refusals(under: TrackerUnderTest, folder: () => string): void {
  test("a ticket that is not there fails the whole snapshot, and its set", async () => {
    const ghost = TicketId.parse("T-404");
    const tracker = under.open(folder(), [...IDS, ghost]);
    await expect(tracker.snapshot()).rejects.toThrow(/T-404/);
    await expect(tracker.set(ghost, { as: "done" }, "")).rejects.toThrow(/T-404/);
  });

  test("a ticket outside the batch is not set", async () => {
    const before = await under.contentOf(folder());
    await expect(under.open(folder(), [A]).set(B, { as: "done" }, "")).rejects.toThrow(/T-2/);
    expect(await under.contentOf(folder())).toEqual(before);
  });

  test.each(["", "   ", "two\nlines", "x".repeat(501), "half \ud800"])(
    "a human gate with the step %j is refused",
    async (step) => {
      const before = await under.contentOf(folder());
      await expect(under.open(folder(), IDS).set(A, { as: "human-gated", step }, "")).rejects.toThrow();
      expect(await under.contentOf(folder())).toEqual(before);
    },
  );

  test("a note cannot break out of its line", async () => {
    const tracker = under.open(folder(), IDS);
    await tracker.set(A, { as: "done" }, 'a"\nstate: open\r\n---\n\u0000\u009b{"state":"open"}');
    expect((await tracker.snapshot())[0]?.state).toEqual({ as: "done" });
  });
}

function mishaps(under: TrackerUnderTest, folder: () => string): void {
  test("killed at any instant: every ticket reads whole", async () => {
    for (const writes of [1, 2, 5, 9]) {
      const child = spawn(process.execPath, [CHILD, under.kind, folder(), "runs", ...IDS], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      let seen = 0;
      child.stdout.on("data", (chunk: Buffer) => {
        seen += chunk.length;
        if (seen >= writes) child.kill("SIGKILL");
      });
      await once(child, "close");
      expect(seen).toBeGreaterThanOrEqual(writes);
      const states = (await under.open(folder(), IDS).snapshot()).map((t) => t.state.as);
      expect(states[0]).toMatch(/^(done|human-gated)$/);
    }
  });
}
