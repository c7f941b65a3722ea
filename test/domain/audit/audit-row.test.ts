import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { auditLine, auditOrigin, readAuditRow } from "../../../src/domain/audit/audit-row.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";

const OF = { ticket: TicketId.parse("T-1"), attempt: 1, vendor: "claude", kind: "run", exit: 0 } as const;
const written = (command: string, cwd: string) => auditLine(auditOrigin("run"), 0, { ...OF, command, cwd }).line;

describe("a row of the audit log", () => {
  test.each([
    ["é", 4_000 / 3],
    ["\u0001", 4_000 / 3],
    ["😀", 4_000 / 6],
    ["x", 4_000],
    ['"', 4_000],
  ])("of many %j is cut with a mark, by its bytes in the file", (char, kept) => {
    const row = readAuditRow(written(char.repeat(50_000), char.repeat(50_000)));
    if (row === undefined || row.kind === "torn") throw new Error("no row");
    for (const text of [row.command, row.cwd ?? ""]) {
      expect(text.endsWith("…")).toBe(true);
      expect(Math.floor(kept)).toBeCloseTo((text.length - 1) / char.length, -1);
    }
    expect(row.chars).toBe(50_000 * char.length);
  });

  test("is never longer than its bound, and whole if it fits", () => {
    const text = fc.tuple(fc.string({ unit: "binary", maxLength: 8 }), fc.nat(6_000)).map(([part, n]) => part.repeat(n));
    fc.assert(
      fc.property(text, text, (command, cwd) => {
        expect(written(command, cwd).length).toBeLessThan(17_000);
      }),
      { numRuns: 100 },
    );
    const short = readAuditRow(written("npm é", "/é"));
    expect(short).toMatchObject({ command: "npm é", cwd: "/é" });
    expect(short).not.toHaveProperty("chars");
  });
});
