import { describe, expect, test } from "vitest";
import { footerKeys } from "../../../components/frame/footer.tsx";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { VIEWS, type ViewName } from "../../../src/store/views/view-name.ts";
import { desk } from "../../store/desk.ts";
import { replayOf } from "../../store/replays.ts";
import { plumbing, plumbingEnded } from "../../store/scenes.ts";

const CHANGES = ["kill", "gate", "retry", "pause", "more-workers", "oracle"];
const ON_TICKET = ["kill", "gate", "retry"];

type Store = ReturnType<typeof desk>["store"];

/** Which keys that change the run the last line offers in a view. */
function offered(store: Store, view: ViewName): readonly string[] {
  store.dispatch({ type: "view", view });
  const names = footerKeys(store.getState(), 300).map(({ name }) => name);
  return CHANGES.filter((name) => names.includes(name));
}

describe("the last line offers what changes the run", () => {
  test("while it is at work: what the selected ticket can have, and else what is of the whole run", () => {
    const { store } = desk(plumbing());
    // T-7 is at work and not stalled: it is killed or left to a person. With nothing selected, no key for a ticket is shown.
    const own = { none: ["pause", "more-workers", "oracle"], ticket: ["kill", "gate", "pause", "more-workers", "oracle"] };
    for (const view of ["overview", "graph", "timeline"] as const) expect(offered(store, view)).toEqual(own.none);
    store.dispatch({ type: "select", ticket: TicketId.parse("T-7") });
    for (const view of ["overview", "ticket", "graph", "timeline"] as const) expect(offered(store, view)).toEqual(own.ticket);
    for (const view of ["oracle", "ledger"] as const)
      expect(offered(store, view)).toEqual(CHANGES.filter((name) => !ON_TICKET.includes(name)));
  });

  test("nowhere beside the choice of another run", () => {
    expect(offered(desk(plumbing()).store, "runs")).toEqual([]);
  });

  test("nowhere once it has ended, in a replay, and without a connection", () => {
    const lost = desk(plumbing()).store;
    lost.dispatch({ type: "connection", connection: { state: "lost", reason: "the engine is gone" } });
    for (const store of [desk(plumbingEnded()).store, replayOf(plumbing()).store, lost])
      for (const view of VIEWS) expect([view, offered(store, view)]).toEqual([view, []]);
  });
});

test("a hint where nothing is selected leads to where j and k select", () => {
  const d = desk(plumbing());
  d.type("5x");
  expect(d.ui().toast?.text).toBe("select a worker first in the overview: j/k");
  d.type("4x");
  expect(d.ui().toast?.text).toBe("select a worker first: j/k");
});
