import { hash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ListedAttempt } from "../../../src/domain/bundle/bundle.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { endless, oneFile, Stage, type StageOptions } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");

async function opened(options: Partial<StageOptions> = {}, change?: (ctx: LoopContext) => Partial<LoopContext>): Promise<Stage> {
  const stage = await Stage.open({ tickets: [ticketOf("T-1")], ...options }, change);
  onTestFinished(() => stage[Symbol.dispose]());
  return stage;
}

/** The text of a file of an attempt. */
function read(stage: Stage, name: string, attempt = 1): string {
  return readFileSync(join(stage.root, `run/tickets/T-1/attempt-${attempt}`, name), "utf8");
}

function bundledIn(events: readonly RunEvent[]) {
  return events.flatMap((event) => (event.type === "attempt-bundled" ? [event] : []));
}

/** Checks that the journal names the list of an attempt as it is, and that the list names its files as they are. */
function expectWhole(stage: Stage, attempt = 1): ListedAttempt {
  const fact = bundledIn(stage.events).findLast((event) => event.ticket === T1 && event.attempt === attempt);
  const text = read(stage, "bundle.json", attempt);
  expect(fact?.sha256).toBe(hash("sha256", text));
  const list = ListedAttempt.parse(JSON.parse(text));
  for (const { path, sha256 } of list.files) expect([path, sha256]).toEqual([path, hash("sha256", read(stage, path, attempt))]);
  expect(fact?.files).toBe(list.files.length);
  return list;
}

describe("the bundle of an attempt", () => {
  test("lists its files once it has ended, and the run ends after that is on record", async () => {
    const stage = await opened();
    stage.start();
    await stage.ended();
    const { files } = expectWhole(stage);
    expect(files.map(({ path }) => path)).toEqual(["captured.patch", "change.stat", "prompt.md", "reflection.json", "bundle.md"]);
    expect(read(stage, "captured.patch")).toContain("+++ b/T-1.txt");
    expect(read(stage, "change.stat")).toBe("T-1.txt | +1 -0\n1 file, +1 -0\n");
    expect(read(stage, "bundle.md")).toContain("# T-1, attempt 1: done\n");
    expect(stage.events.at(-1)).toMatchObject({ type: "run-ended", verdict: "done" });
    expect(stage.ticket(T1).history[0]).toMatchObject({ bundleSha: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test("has the patch of a failed attempt, and what the agent left in its outbox", async () => {
    const finish = [{ step: "check", name: "tests", command: ["false"] }, { step: "merge" }, { step: "assert" }] as const;
    const stage = await opened({
      tickets: [ticketOf("T-1", { finish })],
      limits: { attempts: 1 },
      work: (task) => {
        writeFileSync(join(task.outbox, "notes.md"), "a note");
        return oneFile(task);
      },
    });
    stage.start();
    await stage.ended();
    const { files } = expectWhole(stage);
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["change.patch", "change.stat", "check-tests.log", "outbox/notes.md"]),
    );
    expect(JSON.parse(read(stage, "bundle.json"))).toMatchObject({
      ...{ outcome: "failed", steps: [{ step: "tests", verdict: "failed" }] },
      ...{ agent: { claimedDone: true } },
    });
  });

  test.each(["attempt-ended", "attempt-bundled"] as const)(
    "is written by the next engine if the first is killed after %s, also if the machine went down with it",
    async (type) => {
      const stage = await opened({ tickets: [ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })] });
      await stage.crashAt((event) => event.type === type && event.ticket === T1);
      await stage.crashAndReopen(undefined, "lose");
      stage.events.splice(0);
      await stage.resume();
      await stage.ended();
      expectWhole(stage);
      expect(bundledIn(stage.events).filter(({ ticket }) => ticket === T1)).toHaveLength(1);
      expect(JSON.parse(read(stage, "bundle.json"))).toMatchObject({ outcome: "done", steps: [{ step: "merge" }, {}] });
    },
  );

  test("of an attempt that was lost with its engine has what was known of it", async () => {
    let agents = 0;
    const stage = await opened({ work: (task) => (agents++ === 0 ? endless(task) : oneFile(task)) });
    await stage.crashAt((event) => event.type === "agent-started");
    await stage.crashAndReopen();
    await stage.resume();
    await stage.ended();
    expectWhole(stage, 1);
    expect(JSON.parse(read(stage, "bundle.json"))).toMatchObject({ outcome: "lost", agent: null });
    expectWhole(stage, 2);
  });

  test("that does not fit on the disk is told, fails nothing, and is written by the next engine", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
    const stage = await opened({}, ({ files }) => ({ files: { ...files, writeWhole: () => Promise.reject(full) } }));
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ verdict: "done" });
    const why = "the disk is full";
    expect(stage.events.filter(({ type }) => type === "attempt-not-bundled")).toMatchObject([{ ticket: T1, attempt: 1, why }]);
    expect(stage.ticket(T1).history[0]).toMatchObject({ notBundled: why });
    expect(existsSync(join(stage.root, "run/tickets/T-1/attempt-1/bundle.json"))).toBe(false);
  });

  test("is tried again by the next engine of a run that was stopped", async () => {
    const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    const stage = await opened({ tickets: [ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })] }, ({ files }) => ({
      files: { ...files, writeWhole: () => Promise.reject(full) },
    }));
    await stage.crashAt((event) => event.type === "attempt-not-bundled");
    await stage.crashAndReopen();
    await stage.resume();
    await stage.ended();
    expectWhole(stage);
    expect(stage.ticket(T1).history[0]).not.toHaveProperty("notBundled", expect.anything());
  });
});
