import { expect, test } from "vitest";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { answers, open, result } from "./branch-stage.ts";

cleanUp();
test("an agent that is stopped works in an iteration, and the one that takes its place has the same number", async () => {
  const write = answers("42");
  const { promise: working, resolve } = Promise.withResolvers<void>();
  let isFirst = true;
  const { stage, reopen } = await open({
    work: (task) => {
      if (!isFirst) {
        write(task);
        return undefined;
      }
      isFirst = false;
      resolve();
      return new Promise<undefined>((end) => task.signal.addEventListener("abort", () => end(undefined)));
    },
  });
  using _ = stage;
  stage.start();
  await working;
  stage.engine.orchestrator.stop("signal");
  const state = await stage.ended();
  expect(result(state).iterations).toMatchObject([{ number: 0 }, { number: 1, outcome: "stopped", commit: null }]);
  await reopen();
  await stage.resume();
  expect(result(await stage.ended()).iterations.map(({ number }) => number)).toEqual([0, 1, 0, 1]);
});
