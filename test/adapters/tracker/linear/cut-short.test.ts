import { describe, expect, test } from "vitest";
import { LinearRefusal } from "../../../../src/adapters/tracker/linear/client/failures.ts";
import type { StateAnswer, TicketService } from "../../../../src/adapters/tracker/service/ticket-service.ts";
import { isSameState, type TrackerState } from "../../../../src/domain/run/drift-fact.ts";
import { uuidOf } from "../../../stand-ins/linear/model.ts";
import type { Fault, Seen } from "../../../stand-ins/linear/stand-in.ts";
import { id, Stage } from "./stage.ts";

const OPEN: TrackerState = { as: "open" };
const DONE: TrackerState = { as: "done" };
const gate = (step: string): TrackerState => ({ as: "human-gated", step });

function set(
  service: TicketService,
  state: TrackerState,
  options: { from?: readonly TrackerState[]; note?: string; name?: string } = {},
) {
  const { from, note = "landed as 1234567 by run r", name = "ENG-1" } = options;
  return service.set({ id: id(name), state, note, from });
}

function after(answer: StateAnswer): TrackerState {
  if ("conflict" in answer) throw new Error("it is a conflict");
  return answer.after.state;
}

/** Brings a fresh ticket into a state, as loopdash does, or a person. */
const BEFORE: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  open: async () => undefined,
  "done by a person": async (stage) => stage.move("ENG-1", "Done"),
  "gated by loopdash": (stage) => set(stage.service(), gate("press")),
  "gated by a person": async (stage) => {
    await set(stage.service(), OPEN);
    stage.label("ENG-1", "human-gated");
    stage.comment("ENG-1", "Human step: ask Jo");
  },
  "gated by loopdash and then by a person": async (stage) => {
    await set(stage.service(), gate("press"));
    stage.comment("ENG-1", "Human step: ask Jo");
  },
};

const CUTS: readonly (readonly [string, (request: Seen) => Fault | { readonly after: Fault }])[] = [
  ["before", () => "reset"],
  ["after", () => ({ after: "reset" })],
];

describe("a write to Linear that is cut short", () => {
  const cases = Object.keys(BEFORE).flatMap((before) =>
    [OPEN, DONE, gate("press deploy")].flatMap((to) => CUTS.map(([when]) => [before, to.as, when, to] as const)),
  );

  test.each(cases)(
    "from %s to %s, %s any of its writes takes effect, leaves no third state, and is finished by a repeat",
    async (before, _, when, to) => {
      const cut = CUTS.find(([name]) => name === when)?.[1] ?? (() => "reset" as const);
      for (let n = 0; ; n += 1) {
        const stage = await Stage.open();
        await BEFORE[before]?.(stage);
        const from = (await stage.service().snapshot("whole")).get(id("ENG-1"))?.state ?? OPEN;
        let seen = 0;
        stage.standIn.fault = (request) => (request.isWrite && seen++ === n ? cut(request) : undefined);
        const service = stage.service();
        const isCut = await set(service, to, { from: [from] }).then(
          () => false,
          () => true,
        );
        stage.standIn.fault = () => undefined;
        const now = (await stage.service().snapshot("whole")).get(id("ENG-1"));
        expect(
          [from, to].some((state) => now !== undefined && isSameState(state, now.state)),
          `${n}: ${JSON.stringify(now)}`,
        ).toBe(true);
        if (now !== undefined && isSameState(now.state, OPEN)) expect(now).not.toHaveProperty("held", expect.anything());
        expect(isCut).toBe(seen > n);
        if (!isCut) return;
        expect(after(await set(n % 2 === 0 ? service : stage.service(), to, { from: [from] }))).toEqual(to);
        const own = stage.comments("ENG-1").filter(({ userId }) => userId === uuidOf("user loopdash"));
        expect(own.length).toBeLessThanOrEqual(1);
        expect(stage.shown("ENG-1").includes("human-gated")).toBe(to.as === "human-gated");
        const gates = own.filter(({ body }) => body.startsWith("Human step:"));
        expect(gates).toHaveLength(to.as === "human-gated" ? 1 : 0);
      }
    },
  );

  test("makes no second comment if Linear fails after it made the first one, and then while that one is edited", async () => {
    const failed: Fault = {
      status: 200,
      body: { data: null, errors: [{ message: "Internal server error", extensions: { type: "internal error" } }] },
    };
    for (const to of [DONE, gate("press")]) {
      const stage = await Stage.open();
      const faults: Readonly<Record<string, Fault | { readonly after: Fault }>> = {
        createComment: { after: failed },
        updateComment: failed,
      };
      stage.standIn.fault = ({ name }) => faults[name];
      await expect(set(stage.service(), to)).rejects.toThrow("Internal server error");
      stage.standIn.fault = () => undefined;
      expect(after(await set(stage.service(), to))).toEqual(to);
      expect(stage.comments("ENG-1")).toHaveLength(1);
    }
  });

  test.each([1, 2, 3, 50])("makes no second comment if readings are %i writes behind", async (staleWrites) => {
    for (const to of [DONE, gate("press")]) {
      const stage = await Stage.open();
      const service = stage.service();
      await service.snapshot("whole");
      stage.standIn.staleWrites = staleWrites;
      // The label is refused as one that is there, until it is seen.
      for (let n = 0; n < 3; n += 1)
        await set(service, to, { from: [OPEN] }).catch((error: unknown) => expect(error).toBeInstanceOf(LinearRefusal));
      stage.standIn.staleWrites = 0;
      expect(after(await set(service, to))).toEqual(to);
      expect(stage.comments("ENG-1")).toHaveLength(1);
      expect(stage.standIn.world.labels.filter(({ name }) => name === "human-gated").length).toBeLessThanOrEqual(1);
    }
  });
});
