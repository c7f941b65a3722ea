import { getEventListeners } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { isAlive, processId } from "../../../src/adapters/executor/process-id.ts";
import type { ProcessId } from "../../../src/ports/executor.ts";
import { program, requestOf, strayPid, useFolder } from "./support.ts";

const folder = useFolder();

/** Runs 20 programs at a time that share one signal and each leave a stray in a session of its own. */
async function runTwenty(signal: AbortSignal, then: "exit" | "stay", onReady: () => void) {
  const executor = createExecutor();
  const strays: (ProcessId | undefined)[] = [];
  const runs = Array.from({ length: 20 }, (_, i) => {
    const own = join(folder(), `${then}-${i}`);
    mkdirSync(own);
    const argv = [program("leave-behind.sh"), "setsid", own, then];
    const onLine = () => {
      strays.push(processId(strayPid(own) ?? -1));
      onReady();
    };
    return executor.run(requestOf({ argv, signal, silenceMs: 20_000, logFile: join(own, "log"), onLine }));
  });
  return { results: await Promise.all(runs), strays };
}

it("twenty at once end each for their own cause, with their own strays, and leave no listener", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const exits = process.listenerCount("exit");
  const controller = new AbortController();

  const exited = await runTwenty(controller.signal, "exit", () => undefined);
  expect(exited.results.map(({ ending, exitCode, tail }) => `${ending} ${exitCode} ${tail}`)).toEqual(
    Array(20).fill("exited 0 READY\n"),
  );

  expect(getEventListeners(controller.signal, "abort")).toEqual([]);

  let ready = 0;
  const aborted = await runTwenty(controller.signal, "stay", () => (++ready === 20 ? controller.abort() : undefined));
  expect(aborted.results.map(({ ending }) => ending)).toEqual(Array(20).fill("aborted"));

  for (const stray of aborted.strays) expect(stray && isAlive(stray)).toBe(false);
  expect(aborted.strays).toHaveLength(20);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
  expect(process.listenerCount("exit") - exits).toBeLessThanOrEqual(1);
});
