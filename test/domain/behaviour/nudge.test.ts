import { describe, expect, test } from "vitest";
import { nudgeLine, whyNoNudge } from "../../../src/domain/behaviour/nudge.ts";
import { GATES } from "../../../src/domain/behaviour/signals.ts";

describe("the line for an agent whose gate has failed", () => {
  test.each(GATES)("is one short line with the count: %s", (gate) => {
    const line = nudgeLine(gate, 7);
    expect(line).toMatch(/^loopdash: [A-Z_]+ has failed: [^\n]*\b7\b[^\n]*\.$/);
    expect(line.length).toBeLessThan(200);
  });
});

describe("the reason why agents cannot be told", () => {
  const why = (kind: string, guard?: false) => whyNoNudge({ agent: { kind } as never, ...(guard === false && { guard }) });

  test.each(["claude", "codex", "gemini", "opencode"])("is none for %s", (kind) => expect(why(kind)).toBeUndefined());

  test("is the program, or a batch without a guard", () => {
    expect(why("command")).toContain("kind command");
    expect(why("claude", false)).toContain("has no guard");
  });
});
