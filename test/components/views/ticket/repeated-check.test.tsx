import { expect, test } from "vitest";
import { TicketId } from "../../../../src/domain/values/ids.ts";
import { currentTarget } from "../../../../src/store/ticket-log/target.ts";
import { plumbing } from "../../../store/scenes.ts";
import { mount } from "../../mount.tsx";
import { FakeFile } from "./view-stage.ts";

test("a check that runs again says why, and shows what its preparation prints until its command starts", async () => {
  const run = plumbing();
  run.of("T-4", { type: "step-ended", step: 1, ok: true, summary: "214 passed" }).step("T-4", 2);
  run.of("T-4", { type: "steps-repeated", why: "since main is at 1a2b3c4" });
  run.of("T-4", { type: "step-started", step: 1, kind: "check", name: "tests" });
  run.of("T-4", { type: "step-part-started", part: "preparing" });
  await using m = await mount(run, 120, 30);
  m.store.dispatch({ type: "select", ticket: "T-4" as never });
  m.store.dispatch({ type: "view", view: "ticket" });
  await m.stage.shows("2 TICKET");
  await m.stage.press("e", "check tests, attempt 1: under way");
  await m.stage.shows("again, since main is at 1a2b3c4");
  expect(currentTarget(m.store.getState())?.file?.path).toMatch(/check-tests-prepare\.log$/);
  new FakeFile(m.store).tell("absent");
  await m.stage.shows("its checkout is being prepared, and has printed nothing yet");
  run.of("T-4", { type: "step-part-started", part: "", train: [TicketId.parse("T-4"), TicketId.parse("T-6")] });
  m.tell();
  await m.stage.shows("train T-4 T-6");
  new FakeFile(m.store).write("ok 1\n");
  await m.stage.shows("one run checks it with others: see the log of T-6");
  await m.stage.shows("check-tests.log, of the run before");
});
