import { existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { oneFile, Stage } from "../stage.ts";

cleanUp();
const one = [ticketOf("T-1")];

describe("the files of a worktree", () => {
  /** The ways of the run's files, with removals of worktrees that wait for `gone`. */
  const slow = ({ files }: LoopContext, gone: Promise<void>) => {
    const asked: string[] = [];
    const removed: string[] = [];
    const remove: typeof files.remove = async (folder) => {
      if (basename(folder).startsWith(".removed-")) {
        asked.push(folder);
        await gone;
        removed.push(folder);
      }
      return files.remove(folder);
    };
    return { asked, removed, files: { ...files, remove } };
  };
  const failOnce = () => {
    let runs = 0;
    return (task: Parameters<typeof oneFile>[0]) => {
      runs += 1;
      void oneFile(task);
      return runs === 1 ? { exitCode: 3 } : undefined;
    };
  };

  test("are removed while the next attempt is at work", async () => {
    const gone = Promise.withResolvers<void>();
    let removed: readonly string[] = [];
    using stage = await Stage.open({ tickets: one, work: failOnce(), limits: { attempts: 2 } }, (ctx) => {
      const { files, ...more } = slow(ctx, gone.promise);
      removed = more.removed;
      return { files };
    });
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect([stage.tasks.length, removed.length]).toEqual([2, 0]);
    gone.resolve();
    await expect.poll(() => removed.length).toBe(2);
  });

  test("are waited for on a full disk: they may be why, and the failure then counts", async () => {
    let removed: readonly string[] = [];
    using stage = await Stage.open({ tickets: one, work: failOnce(), limits: { attempts: 2 } }, (ctx) => {
      const looked = Promise.withResolvers<void>();
      const { files, ...more } = slow(ctx, looked.promise);
      removed = more.removed;
      // The first look at the disk comes before the files are gone.
      const hasRoom = async (): Promise<boolean> => {
        const isRoom = removed.length > 0 || more.asked.length === 0;
        if (!isRoom) looked.resolve();
        return isRoom;
      };
      return { files: { ...files, hasRoom } };
    });
    stage.start();
    await stage.ended();
    expect(stage.of("attempt-ended").map(({ outcome }) => outcome)).toEqual(["failed", "done"]);
  });

  test("that an engine which died has left are removed by the next one", async () => {
    using stage = await Stage.open({ tickets: one });
    await stage.crashAt(({ type }) => type === "attempt-claimed");
    const left = join(stage.root, "worktrees", ".removed-T-1-1-1");
    mkdirSync(join(left, "node_modules"), { recursive: true });
    await stage.crashAndReopen();
    await stage.resume();
    await stage.ended();
    await expect.poll(() => existsSync(left)).toBe(false);
  });
});
