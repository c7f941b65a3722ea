import { expect, test } from "vitest";
import { movedWithoutCause } from "../components/stillness.ts";
import { expectGuidance, setStory, tell } from "./story-stage.ts";

test("thirteen tickets: ten shipped and live, one of them reverted first, one closed by a person, two left to a person with the exact step", {
  timeout: 900_000,
}, async () => {
  await using story = await setStory();
  const events = await tell(story);
  expectGuidance(events);
  // Each shipped ticket was seen on dev, and then on prod.
  const passed = events.flatMap((event) => (event.type === "step-ended" && event.ok ? [`${event.ticket} ${event.step}`] : []));
  const ended = (outcome: string) =>
    events.flatMap((event) => (event.type === "attempt-ended" && event.outcome === outcome ? [event.ticket] : []));
  expect(ended("landed").toSorted()).toEqual(["INFRA-4", "SHOP-3"]);
  const done = ended("done");
  expect(done).toHaveLength(9);
  for (const size of [
    [80, 24],
    [120, 34],
  ] as const)
    expect(await movedWithoutCause(events, size)).toEqual([]);
  for (const id of done) expect(passed).toEqual(expect.arrayContaining([`${id} 4`, `${id} 5`]));
});
