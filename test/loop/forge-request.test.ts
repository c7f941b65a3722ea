import { describe, expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { FakePullRequests } from "./fake-pull-requests.ts";
import { Stage } from "./stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const RULES = { base: "main", checks: ["ci"], approvals: "wait", appearMs: 60_000, stillMs: 600_000 } as const;
const RERUN = { type: "rerun-checks", ticket: T1 } as const;
const review = (login: string) => ({ type: "request-review", ticket: T1, login }) as const;
const CI = { name: "ci", state: "passed", isRequired: true } as const;
const DOCS = { name: "docs", state: "failed", isRequired: false } as const;

/** One ticket whose pull request waits for an approval; a check that is not required has failed. */
async function open() {
  let made: FakePullRequests | undefined;
  const stage = await Stage.open({ tickets: [ticketOf(T1)] }, (ctx) => {
    made ??= new FakePullRequests(ctx.batch.repos["app"]?.path ?? "");
    return { pullRequests: new Map([["app", { pulls: made.port(), rules: RULES, histories: new Map() }]]) };
  });
  if (made === undefined) throw new Error("no forge");
  const forge: FakePullRequests = made;
  forge.shown = { checks: [CI, DOCS], review: "approval-missing" };
  const reopen = () =>
    stage.crashAndReopen(() => ({
      pullRequests: new Map([["app", { pulls: forge.port(), rules: RULES, histories: new Map() }]]),
    }));
  const approve = async () => {
    forge.shown = { checks: [CI, DOCS], review: "approved" };
    await stage.ended();
  };
  const requests = () => forge.calls.filter((call) => /^(?:rerun|review) /.test(call));
  return { stage, forge, reopen, approve, requests };
}

/** The same at work, once its pull request was read. */
async function started() {
  const scene = await open();
  scene.stage.start();
  await scene.stage.until("pull-request-read");
  return scene;
}

describe("a person asks the forge", () => {
  test("to start failed checks again: the intent is on record before, and it counts as steering", async () => {
    const { stage, approve, requests } = await started();
    using _ = stage;
    stage.engine.orchestrator.command(RERUN);
    await stage.until("forge-request-ended");
    expect(requests()).toEqual(["rerun docs"]);
    const [begun] = stage.of("forge-request-started");
    const [ended] = stage.of("forge-request-ended");
    expect(begun?.request).toEqual({ kind: "rerun", head: stage.ticket(T1).pullRequest?.head, names: ["docs"] });
    expect(ended).not.toHaveProperty("problem", expect.anything());
    expect(stage.state.interventions).toMatchObject([{ class: "I2", target: "T-1", note: "started failed checks again" }]);
    await approve();
  });

  test("to start what it cannot: the person is told, and nothing is counted", async () => {
    const { stage, forge, approve } = await started();
    using _ = stage;
    forge.canRerun = false;
    stage.engine.orchestrator.command(RERUN);
    await stage.until("forge-request-ended");
    expect(stage.of("forge-request-ended")).toMatchObject([
      { problem: "acme/app has no failed job behind these checks that it can start again" },
    ]);
    expect(stage.state.interventions).toEqual([]);
    await approve();
  });

  test("for a review: it gets the login, and the pull request remembers it", async () => {
    const { stage, approve, requests } = await started();
    using _ = stage;
    stage.engine.orchestrator.command(review("ann"));
    await stage.until("forge-request-ended");
    expect(requests()).toEqual(["review 7 ann"]);
    expect(stage.ticket(T1).pullRequest?.reviewers).toEqual(["ann"]);
    await approve();
  });

  test("for a review that it refuses: its own words are told", async () => {
    const { stage, approve } = await started();
    using _ = stage;
    stage.engine.orchestrator.command(review("nobody"));
    await stage.until("forge-request-ended");
    expect(stage.of("forge-request-ended")).toMatchObject([{ problem: "nobody is no collaborator" }]);
    expect([stage.ticket(T1).pullRequest?.reviewers, stage.state.interventions]).toEqual([undefined, []]);
    await approve();
  });

  test("while it is away: the request ends at once, without an outage of its own, and may be repeated", async () => {
    const { stage, forge, approve, requests } = await started();
    using _ = stage;
    const answers = forge.answersReviews;
    forge.answersReviews = false;
    stage.engine.orchestrator.command(review("ann"));
    await stage.until("forge-request-ended");
    forge.answersReviews = answers;
    stage.engine.orchestrator.command(review("ann"));
    await stage.until("forge-request-ended", (event) => !("problem" in event));
    expect(stage.of("forge-request-ended")).toMatchObject([{ problem: "the forge cannot be reached" }, {}]);
    expect([requests(), stage.of("outage-started")]).toEqual([["review 7 ann"], []]);
    await approve();
  });

  test("and the engine dies: the next one asks again, and records the end once", async () => {
    const { stage, reopen, approve } = await open();
    using _ = stage;
    const crashed = stage.crashAt(({ type }) => type === "forge-request-started");
    await stage.until("pull-request-read");
    stage.engine.orchestrator.command(review("ann"));
    await crashed;
    await reopen();
    expect(stage.ticket(T1).pullRequest?.requests).toEqual([{ kind: "review", login: "ann" }]);
    await stage.resume();
    await stage.until("forge-request-ended");
    expect(stage.of("forge-request-ended")).toHaveLength(1);
    expect(stage.ticket(T1).pullRequest).not.toHaveProperty("requests", expect.anything());
    await approve();
  });
});
