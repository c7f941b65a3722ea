import { beforeAll, describe, expect, it } from "vitest";
import { reviewNotNeeded } from "../../../store/scenes.ts";
import { mount } from "../../mount.tsx";
import { checkedScreen, SIZES } from "../../shot.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

describe("a review that the ticket's class does not need", () => {
  it.each(SIZES)("is not shown as made at %i×%i", async (columns, rows) => {
    await using m = await mount(reviewNotNeeded(), columns, rows);
    m.store.dispatch({ type: "select", ticket: "A" as never });
    m.store.dispatch({ type: "view", view: "ticket" });
    await m.stage.shows("2 TICKET");
    const text = await checkedScreen(m, columns, rows);
    expect(text).not.toMatch(/✔ review second|second-review[^–]* ok|review s…/);
    if (columns >= 80) expect(text).toContain("not needed");
    await expect(text).toMatchFileSnapshot(`../__snapshots__/ticket-not-needed-${columns}x${rows}.txt`);
  });

  it("says so in its evidence", async () => {
    await using m = await mount(reviewNotNeeded(), 120, 30);
    m.store.dispatch({ type: "select", ticket: "A" as never });
    m.store.dispatch({ type: "view", view: "ticket" });
    m.store.dispatch({ type: "ticket-view", action: { type: "tab", tab: "evidence" } });
    m.store.dispatch({ type: "ticket-view", action: { type: "pick", pick: { ticket: "A" as never, n: 1, step: 2 } } });
    await m.stage.shows("attempt 1: not needed for a ticket of");
    expect(await checkedScreen(m, 120, 30)).not.toMatch(/second-review.*passed/);
  });
});
