import { expect, test } from "vitest";
import { TrackerBusy } from "../../../../src/ports/tracker.ts";
import { id, Stage } from "./stage.ts";

test("a reading that shows an older state than before is not believed, and is asked for again in a second", async () => {
  const stage = await Stage.open();
  const service = stage.service({ team: "ENG" }, { now: () => 1_000_000 });
  await service.snapshot("whole");
  await service.set({ id: id("ENG-1"), state: { as: "done" }, note: "landed", from: undefined });
  stage.standIn.staleWrites = 5;
  const late = service.snapshot("whole");
  await expect(late).rejects.toThrow("Linear shows an older state of ENG-1 than before");
  await expect(late).rejects.toBeInstanceOf(TrackerBusy);
  await expect(late).rejects.toMatchObject({ retryAt: 1_001_000 });
  stage.standIn.staleWrites = 0;
  expect((await service.snapshot("whole")).get(id("ENG-1"))?.state.as).toBe("done");
});

test("what was sent is counted, and what was only asked is not", async () => {
  const stage = await Stage.open();
  const service = stage.service();
  await service.snapshot("whole");
  expect(service.writesSent?.()).toBe(0);
  await service.set({ id: id("ENG-1"), state: { as: "done" }, note: "landed", from: undefined });
  expect(service.writesSent?.()).toBe(2);
});
