import { describe, expect, test } from "vitest";
import {
  countIntervention,
  type Intervention,
  interventionKind,
  MERGE_WINDOW_MS,
} from "../../../src/domain/results/intervention.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";

const [_T1, _T2, _T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

describe("interventions", () => {
  const at = (ms: number, over: Partial<Intervention> = {}): Intervention => ({
    at: ms,
    class: "I5",
    target: "run",
    note: "",
    ...over,
  });

  test("within ten minutes of the counted one they are one decision, on one target and of one class", () => {
    const one = [at(0)];
    expect(countIntervention(one, at(MERGE_WINDOW_MS))).toBe(one);
    expect(countIntervention(one, at(MERGE_WINDOW_MS + 1))).toHaveLength(2);
    expect(countIntervention(one, at(1, { class: "I7" }))).toHaveLength(2);
    expect(countIntervention(one, at(1, { target: "T-1" }))).toHaveLength(2);
    const two = [at(0), at(MERGE_WINDOW_MS + 1)];
    expect(countIntervention(two, at(MERGE_WINDOW_MS + 2))).toBe(two);
  });

  test("I1, I4 and I7 did the tickets' work; the rest tended the machinery", () => {
    const classes = ["I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8"] as const;
    expect(classes.filter((c) => interventionKind(c) === "work")).toEqual(["I1", "I4", "I7"]);
    expect(interventionKind("I2")).toBe("harness");
  });
});
