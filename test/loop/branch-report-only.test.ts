import { expect, test } from "vitest";
import { ciStopReason } from "../../src/domain/ci/stop-reason.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { answers, CI, open } from "./branch-stage.ts";

cleanUp();
test("no_change if nothing is to be changed any more, though an engine before has left a change: it is not pushed", async () => {
  const { stage, reopen } = await open({ work: answers("42") });
  using _ = stage;
  const before = stage.git("rev-parse", "main");
  await stage.crashAt(({ type }) => type === "step-started" && stage.types().includes("agent-ended"));
  await reopen(false);
  await stage.resume();
  expect(ciStopReason(await stage.ended())).toBe("no_change");
  expect([stage.of("ci-pushed"), stage.git("rev-parse", "main")]).toEqual([[], before]);
  expect(stage.ticket(CI).evidence.at(-1)?.summary).toBe("nothing is to be changed");
});
