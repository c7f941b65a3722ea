import { describe, expect, test } from "vitest";
import { TicketId, unfitForBranch } from "../../../src/domain/values/ids.ts";

const [_T1, _T2, _T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

describe("ids", () => {
  test.for(["T-1", "a", "A.b_c-d", "1", "x".repeat(64), "a.lockx"])("%s is fit", (name) => {
    expect(unfitForBranch(name)).toBeUndefined();
  });

  test.for([
    "",
    "x".repeat(65),
    "-a",
    ".a",
    "a..b",
    "a.",
    "a.lock",
    "a.LOCK",
    "a/b",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a\n",
    "ä",
    "@",
    "a@{b",
    "a\\b",
    "a*",
  ])("%j is not, with a reason", (name) => {
    expect(unfitForBranch(name)).toBeTruthy();
    expect(TicketId.safeParse(name).error?.issues[0]?.message).toContain("cannot name a branch: ");
  });
});
