import { expect, test } from "vitest";
import { setStory, tell } from "./story-stage.ts";

test("eleven tickets, three of them found on the way: nine shipped and live, two left to a person with the exact step", {
  timeout: 240_000,
}, async () => {
  await using story = await setStory();
  const events = await tell(story);
  // Each shipped ticket was seen on dev, and then on prod.
  const passed = events.flatMap((event) => (event.type === "step-ended" && event.ok ? [`${event.ticket} ${event.step}`] : []));
  const done = events.flatMap((event) => (event.type === "attempt-ended" && event.outcome === "done" ? [event.ticket] : []));
  expect(done).toHaveLength(9);
  for (const id of done) expect(passed).toEqual(expect.arrayContaining([`${id} 4`, `${id} 5`]));
});
