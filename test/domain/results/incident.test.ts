import { describe, expect, it } from "vitest";
import { endIncident, type Incident, withIncident } from "../../../src/domain/results/incident.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";

const ticket = TicketId.parse("T-1");
const reopened: Incident = { kind: "reopened", at: 10, ticket, summary: "it is gone from the base" };

describe("the incidents of a run", () => {
  it("counts the same incident once while it lasts", () => {
    const once = withIncident([], reopened);
    expect(withIncident(once, { ...reopened, at: 20 })).toEqual(once);
    expect(withIncident(once, { ...reopened, kind: "live-check" })).toHaveLength(2);
  });

  it("counts it again after its end", () => {
    const ended = endIncident(withIncident([], reopened), { kind: "reopened", ticket }, 15);
    expect(ended).toEqual([{ ...reopened, endedAt: 15 }]);
    expect(withIncident(ended, { ...reopened, at: 20 })).toEqual([...ended, { ...reopened, at: 20 }]);
  });

  it("ends only what lasts, by kind, ticket and repository", () => {
    const list = withIncident([], reopened);
    expect(endIncident(list, { kind: "live-check", ticket }, 15)).toBe(list);
    expect(endIncident(list, { kind: "reopened", ticket: TicketId.parse("T-2") }, 15)).toBe(list);
  });
});
