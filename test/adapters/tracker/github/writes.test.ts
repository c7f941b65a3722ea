import { describe, expect, it } from "vitest";
import type { TrackerState } from "../../../../src/domain/run/drift-fact.ts";
import { TrackerBusy } from "../../../../src/ports/tracker.ts";
import type { GitHubStandIn } from "../../../stand-ins/github/server.ts";
import type { SeedIssue } from "../../../stand-ins/github/state.ts";
import { aService, aStandIn, Clock, read, ticket, writes } from "./stage.ts";

const ID = ticket("app-1");
const DONE = { as: "done" } as const;
const OPEN = { as: "open" } as const;
const GATED = { as: "human-gated", step: "press deploy" } as const;
const NOTE = "landed as 0123abc by run demo-1";

const set = (standIn: GitHubStandIn, state: TrackerState, from?: readonly TrackerState[], note = NOTE) =>
  aService(standIn).set({ id: ID, state, note, from });
const issueOf = (standIn: GitHubStandIn) =>
  standIn.state.repos[0]?.issues[0] as NonNullable<(typeof standIn.state.repos)[0]>["issues"][0];
const commentsOf = (standIn: GitHubStandIn) => issueOf(standIn).comments.map(({ body }) => body);

describe("setting a state", () => {
  it("closes an issue after the note is there", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    const { before, after } = (await set(standIn, DONE, [OPEN])) as never as Record<
      string,
      { state: TrackerState; revision: string }
    >;
    expect([before?.state, after?.state]).toEqual([OPEN, DONE]);
    expect(before?.revision).not.toBe(after?.revision);
    expect(writes(standIn)).toEqual(["POST /issues/1/comments", "PATCH /issues/1"]);
    expect(commentsOf(standIn)).toEqual([`${NOTE}\n\n<!-- loopdash -->`]);
    expect(issueOf(standIn)).toMatchObject({ state: "closed", stateReason: "completed" });
  });

  it("gates an issue by a comment, then the label, which is made if it is missing", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    await set(standIn, GATED);
    expect(writes(standIn)).toEqual(["POST /issues/1/comments", "POST /labels", "POST /issues/1/labels"]);
    expect(commentsOf(standIn)).toEqual([`Human step: press deploy\n\n${NOTE}\n\n<!-- loopdash -->`]);
    await set(standIn, { as: "human-gated", step: "press another" });
    expect(writes(standIn)).toEqual([expect.stringMatching(/^PATCH \/issues\/comments\/\d+$/)]);
    await set(standIn, DONE);
    expect(writes(standIn)).toEqual([
      "PATCH /issues/1",
      "DELETE /issues/1/labels/human-gated",
      expect.stringMatching(/^PATCH .*comments/),
    ]);
    expect(commentsOf(standIn)).toEqual([`${NOTE}\n\n<!-- loopdash -->`]);
    expect(issueOf(standIn).labels).toEqual(["batch"]);
  });

  it("opens an issue again, and says so in the comment that is there", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    await set(standIn, GATED);
    await set(standIn, OPEN, undefined, "");
    expect(commentsOf(standIn)).toEqual(["Open again.\n\n<!-- loopdash -->"]);
    await set(standIn, DONE);
    writes(standIn);
    await set(standIn, OPEN);
    expect(writes(standIn)).toHaveLength(1);
    expect((await read(standIn))["app-1"]?.state).toEqual(OPEN);
    const fresh = await aStandIn([{ title: "A", state: "closed" }]);
    await set(fresh, OPEN);
    expect(writes(fresh)).toEqual(["PATCH /issues/1"]);
  });

  it("gates an issue that is closed before it opens it", async () => {
    const standIn = await aStandIn([{ title: "A", state: "closed" }]);
    await set(standIn, GATED);
    expect(writes(standIn)).toEqual(["POST /issues/1/comments", "POST /labels", "POST /issues/1/labels", "PATCH /issues/1"]);
    expect((await read(standIn))["app-1"]?.state).toEqual(GATED);
  });

  it("writes nothing if the state is as wanted, or is none of those that it may replace", async () => {
    const standIn = await aStandIn([{ title: "A", state: "closed" }]);
    expect(await set(standIn, DONE, [OPEN])).toMatchObject({ before: { state: DONE }, after: { state: DONE } });
    expect(await set(standIn, GATED, [OPEN])).toMatchObject({ conflict: { state: DONE } });
    expect(writes(standIn)).toEqual([]);
  });

  it("leaves an issue that a person closed as not planned, unless it is told to whatever its state", async () => {
    const standIn = await aStandIn([{ title: "A", state: "closed", stateReason: "not_planned" }]);
    expect(await set(standIn, DONE, [OPEN])).toHaveProperty("conflict");
    expect(issueOf(standIn)).toMatchObject({ state: "closed", stateReason: "not_planned" });
    await set(standIn, DONE);
    expect(issueOf(standIn)).toMatchObject({ state: "closed", stateReason: "completed" });
  });

  it("says that there is no such ticket", async () => {
    const service = aService(await aStandIn([{ title: "A" }]));
    await expect(service.set({ id: ticket("app-9"), state: DONE, note: "", from: undefined })).rejects.toThrow(
      "GitHub: there is no ticket app-9",
    );
  });

  it("never gates by a note that looks like a step", async () => {
    const standIn = await aStandIn([{ title: "A", labels: ["batch", "human-gated"] }]);
    await set(standIn, DONE, undefined, "Human step: press deploy");
    standIn.person("jo").reopen("acme/app", 1);
    standIn.person("jo").label("acme/app", 1, "human-gated");
    expect((await read(standIn))["app-1"]?.state).toEqual(OPEN);
  });
});

describe("comments of people", () => {
  const gatedByJo = (): Promise<GitHubStandIn> =>
    aStandIn([{ title: "A", labels: ["batch", "human-gated"], comments: [{ author: "jo", body: "Human step: ask Jo" }] }]);

  it("are never edited: a person's gate goes with its label", async () => {
    for (const state of [OPEN, DONE]) {
      const standIn = await gatedByJo();
      await set(standIn, state, [{ as: "human-gated", step: "ask Jo" }]);
      expect(commentsOf(standIn)[0]).toBe("Human step: ask Jo");
      expect((await read(standIn))["app-1"]?.state).toEqual(state);
    }
  });

  it("of the token's own user are not loopdash's without its mark", async () => {
    const standIn = await aStandIn([
      {
        title: "A",
        comments: [
          { author: "loop", body: "Human step: mine" },
          { author: "loop", body: "<!-- loopdash --> no" },
        ],
      },
    ]);
    await set(standIn, GATED);
    expect(commentsOf(standIn)).toHaveLength(3);
    expect(commentsOf(standIn).slice(0, 2)).toEqual(["Human step: mine", "<!-- loopdash --> no"]);
  });

  it("with loopdash's mark are theirs all the same", async () => {
    const standIn = await aStandIn([{ title: "A", comments: [{ author: "stranger", body: "x\n<!-- loopdash -->" }] }]);
    await set(standIn, DONE);
    expect(commentsOf(standIn)).toEqual(["x\n<!-- loopdash -->", `${NOTE}\n\n<!-- loopdash -->`]);
  });

  it("that are newer than loopdash's do not hide its gate, which is one comment still", async () => {
    const clock = new Clock();
    const standIn = await aStandIn([{ title: "A" }], { now: clock.now });
    await set(standIn, DONE);
    standIn.person("jo").reopen("acme/app", 1);
    clock.ms += 1000;
    standIn.person("jo").comment("acme/app", 1, "Human step: an old matter");
    clock.ms += 1000;
    await set(standIn, GATED);
    expect((await read(standIn))["app-1"]?.state).toEqual(GATED);
    expect(commentsOf(standIn)).toEqual([
      "Human step: an old matter",
      `Human step: press deploy\n\n${NOTE}\n\n<!-- loopdash -->`,
    ]);
  });
});

describe("a label that only looks like the gate's", () => {
  it("is an error that says what to do", async () => {
    const standIn = await aStandIn([{ title: "A" }, { title: "B", labels: ["Human-Gated"] }]);
    await expect(set(standIn, GATED)).rejects.toThrow('acme/app has a label "Human-Gated": rename it to human-gated');
  });
});

const STARTS: readonly (readonly [string, SeedIssue, readonly TrackerState[]])[] = [
  ["open", { title: "A" }, []],
  ["gated by loopdash", { title: "A" }, [GATED]],
  ["done by loopdash", { title: "A" }, [DONE]],
  [
    "gated by a person",
    { title: "A", labels: ["batch", "human-gated"], comments: [{ author: "jo", body: "Human step: ask Jo" }] },
    [],
  ],
  [
    "closed by a person who left the gate",
    { title: "A", state: "closed", labels: ["batch", "human-gated"], comments: [{ author: "jo", body: "Human step: ask Jo" }] },
    [],
  ],
  ["not planned", { title: "A", state: "closed", stateReason: "not_planned" }, []],
];
/** Another step is a goal of its own only where one is there. */
const goalsFrom = (states: readonly TrackerState[]): readonly TrackerState[] => [
  OPEN,
  DONE,
  GATED,
  ...(states.includes(GATED) ? [{ as: "human-gated", step: "press another" } as const] : []),
];

describe("a write that is cut off", () => {
  const cases = STARTS.flatMap(([name, issue, states]) => goalsFrom(states).map((goal) => [name, goal, issue, states] as const));

  it.each(cases)(
    "from %s to %j leaves no false state after any request, and is finished by a repeat",
    async (_, goal, seed, states) => {
      for (const lost of ["before", "after"] as const) {
        for (let cut = 1; ; cut += 1) {
          const clock = new Clock();
          const standIn = await aStandIn([seed], { now: clock.now });
          for (const state of states) await set(standIn, state);
          const start = (await read(standIn))["app-1"]?.state as TrackerState;
          let seen = 0;
          standIn.fault = ({ method, path }) => {
            if (method === "GET" || path === "/graphql") return undefined;
            seen += 1;
            if (seen !== cut) return undefined;
            return lost === "before" ? "reset" : { after: "reset" };
          };
          const isOver = await attempt(standIn, goal);
          standIn.fault = () => undefined;
          const between = (await read(standIn))["app-1"]?.state as TrackerState;
          expect([start, goal, ...(start.as === "human-gated" || goal.as === "human-gated" ? [OPEN] : [])]).toContainEqual(
            between,
          );
          if (goal.as !== "done" && start.as !== "done") expect(between.as).not.toBe("done");
          await set(standIn, goal);
          expect((await read(standIn))["app-1"]?.state).toEqual(goal);
          const own = issueOf(standIn).comments.filter(({ author }) => author === "loop");
          expect(own.length).toBeLessThanOrEqual(1);
          if (goal.as !== "human-gated") expect(own.some(({ body }) => body.startsWith("Human step:"))).toBe(false);
          if (isOver) break;
        }
      }
    },
  );
});

/** True if nothing was cut off. */
async function attempt(standIn: GitHubStandIn, goal: TrackerState): Promise<boolean> {
  try {
    await set(standIn, goal);
    return true;
  } catch (error) {
    expect(String(error)).toMatch(/GitHub cannot be reached/);
    return false;
  }
}

describe("an answer that was lost", () => {
  it("to a comment is not followed by a second one, even if reads lag behind", async () => {
    const clock = new Clock();
    const standIn = await aStandIn([{ title: "A" }], { now: clock.now });
    const service = aService(standIn, { now: clock.now });
    const write = () => service.set({ id: ID, state: GATED, note: NOTE, from: undefined });
    standIn.fault = ({ path }) =>
      path.endsWith("/comments") ? { after: { status: 502, body: { message: "Bad gateway" } } } : undefined;
    await expect(write()).rejects.toThrow("GitHub failed to comment on the issue (502)");
    standIn.fault = () => undefined;
    standIn.staleWrites = 1;
    const busy = await write().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(busy).toBeInstanceOf(TrackerBusy);
    expect((busy as TrackerBusy).retryAt).toBe(clock.ms + 10_000);
    expect(writes(standIn).filter((each) => each.endsWith("/comments"))).toHaveLength(1);
    standIn.staleWrites = 0;
    clock.ms += 10_000;
    await write();
    expect(commentsOf(standIn)).toHaveLength(1);
  });

  it("to a comment that was never written is followed by one, after a while", async () => {
    const clock = new Clock();
    const standIn = await aStandIn([{ title: "A" }], { now: clock.now });
    const service = aService(standIn, { now: clock.now });
    const write = () => service.set({ id: ID, state: DONE, note: NOTE, from: undefined });
    standIn.fault = ({ path }) => (path.endsWith("/comments") ? { status: 502, body: { message: "Bad gateway" } } : undefined);
    await expect(write()).rejects.toThrow(/502/);
    standIn.fault = () => undefined;
    await expect(write()).rejects.toThrow(TrackerBusy);
    clock.ms += 10_000;
    await write();
    expect(commentsOf(standIn)).toHaveLength(1);
  });

  it("leaves doubles to be removed by the next write", async () => {
    const own = (step: string) => ({ author: "loop", body: `Human step: ${step}\n\n<!-- loopdash -->` });
    const standIn = await aStandIn([{ title: "A", labels: ["batch", "human-gated"], comments: [own("one"), own("two")] }]);
    expect((await read(standIn))["app-1"]?.state).toEqual({ as: "human-gated", step: "two" });
    await set(standIn, DONE);
    expect(commentsOf(standIn)).toEqual([`${NOTE}\n\n<!-- loopdash -->`]);
  });
});
