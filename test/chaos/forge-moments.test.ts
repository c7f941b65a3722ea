import { describe, expect, test, vi } from "vitest";
import { type Act, ForgeStage, MOMENTS, type Moment } from "./forge-stage.ts";

// Most of the time of a row is waiting.
vi.setConfig({ maxConcurrency: 8 });

/** What comes of a row. "lands" may be after a wait; "ends" is a run that is not judged, and goes on with the next start. */
type Outcome =
  | { readonly as: "lands"; readonly after?: RegExp }
  | { readonly as: "gated"; readonly step: RegExp; readonly after?: RegExp }
  | { readonly as: "ends"; readonly after: RegExp };

const LANDS: Outcome = { as: "lands" };
const SILENT = /no answer within 2 s|did not answer within 2 s|Operation too slow/;
const ENDS: Outcome = { as: "ends", after: SILENT };
const LATE: Outcome = { as: "lands", after: SILENT };
const CLOSED: Outcome = { as: "gated", step: /was closed: reopen it if the change is wanted, or close the ticket/ };
const POINTED: Outcome = { as: "gated", step: /was pointed at dev: set its base back to main/ };
const lacking = /^main there was moved back: it lacks [0-9a-f]{12}, on which the change was checked$/;
const BACK: Outcome = { as: "gated", step: /: bring main here and there together, then reopen the ticket/, after: lacking };
const apart = /^it is merged as [0-9a-f]{12}, and main here cannot follow: .* have gone apart/;
const APART: Outcome = { as: "gated", step: /have gone apart.*: see to that, then reopen the ticket/, after: apart };
const absent = /^its merge was told as [0-9a-f]{12}, which main there lacks/;
const LOST: Outcome = { as: "gated", step: /main there lacks.*: look at it there, then reopen the ticket/, after: absent };
const ELSEWHERE: Outcome = { as: "gated", step: /was merged into dev: bring it to main yourself, and close the ticket/ };

/** A moment that is not named cannot be: there is no pull request yet, or none that is open any more. */
const TABLE: Readonly<Record<Act, Partial<Record<Moment, Outcome>>>> = {
  "never answers": Object.fromEntries(MOMENTS.map((moment) => [moment, ENDS])),
  "answers late": Object.fromEntries(MOMENTS.map((moment) => [moment, LATE])),
  "base moved by force": {
    ...{ "before push": BACK, "after push": BACK, opened: BACK, "checks pending": BACK },
    // The forge has decided: it builds on the base as it is, and the base here stays.
    ...{ queued: APART, merging: APART, merged: LOST },
  },
  "base moved back": {
    ...{ "before push": BACK, "after push": BACK, opened: BACK, "checks pending": BACK },
    // What the queue has built before contains the commit that was taken out.
    ...{ queued: LANDS, merging: APART, merged: LOST },
  },
  "head branch deleted": {
    // Nobody has seen a pull request: the push is repeated.
    "after push": { as: "lands", after: /GitHub refuses to open the pull request/ },
    ...{ opened: CLOSED, "checks pending": CLOSED, queued: CLOSED, merging: CLOSED, merged: LANDS },
  },
  retargeted: { opened: POINTED, "checks pending": POINTED, queued: POINTED, merging: ELSEWHERE },
  "closed by a person": { opened: CLOSED, "checks pending": CLOSED, queued: CLOSED, merging: CLOSED },
  "merged by a person": { opened: LANDS, "checks pending": LANDS, queued: LANDS, merging: LANDS },
};

const ROWS = Object.entries(TABLE).flatMap(([act, outcomes]) =>
  Object.entries(outcomes).map(([moment, outcome]) => ({ act: act as Act, moment: moment as Moment, outcome })),
);

describe("a pull request lands, waits with a bound and a cause, or is a person's, and costs no attempt", () => {
  test.concurrent.each(ROWS)("$act, $moment: $outcome.as", async ({ act, moment, outcome }) => {
    await using stage = await ForgeStage.open({ moment, act });
    const { end, ticket, hasActed, committers, isThere, lostHere } = await stage.play();
    const waits = stage.waits();
    expect(hasActed).toBe(true);
    expect([ticket.failures, stage.stage.tasks.length]).toEqual([0, 1]);
    expect(waits.filter(({ until }) => until === undefined)).toEqual([]);
    // No landing is a push of ours, none is made twice, and the base here is never moved aside.
    expect(committers.filter((name) => name !== "ann").join()).toMatch(/^(?:GitHub)?$/);
    expect(lostHere).toEqual([]);
    if (outcome.after !== undefined) expect(waits.map(({ why }) => why)).toContainEqual(expect.stringMatching(outcome.after));
    if (outcome.as === "gated")
      expect(ticket).toMatchObject({ phase: "human-gated", humanStep: expect.stringMatching(outcome.step) });
    if (outcome.as === "lands") expect([ticket.phase, end, isThere]).toEqual(["done", "oracle-done", true]);
    if (outcome.as === "ends") expect([ticket.phase, end]).toEqual(["waiting", "unjudged"]);
  });
});
