import fc from "fast-check";
import { expect, test } from "vitest";
import { actionEffect } from "../../../src/domain/behaviour/action-effect.ts";
import { GATES, type GateLevel, WHY_CHARS } from "../../../src/domain/behaviour/signals.ts";
import type { ToolAction } from "../../../src/domain/behaviour/tool-action.ts";
import type { AgentEvent } from "../../../src/domain/run/agent-event.ts";
import { aWatch } from "./replay.ts";

const word = fc.string({ unit: "binary", maxLength: 300 });
const path = fc.oneof(word, fc.constantFrom("a.ts", "test/a.ts", "src/../test/b.ts", "/work/worktree/test/c.ts"));
const action: fc.Arbitrary<ToolAction> = fc.oneof(
  fc.record({ does: fc.constant("read" as const), paths: fc.array(path, { maxLength: 80 }) }),
  fc.record({ does: fc.constant("edit" as const), paths: fc.array(path, { maxLength: 80 }) }),
  fc.constant({ does: "search" as const }),
  fc.record({
    does: fc.constant("run" as const),
    command: fc.oneof(word, fc.constantFrom("npm test", "cat a.ts", "rm 'x y'", "a <<'E'\nE")),
  }),
);
const call = fc.constantFrom("1", "2", "3");
const event: fc.Arbitrary<AgentEvent> = fc.oneof(
  fc.record({ what: fc.constant("tool" as const), text: word, action, call }),
  fc.record({
    what: fc.constant("result" as const),
    text: fc.oneof(word, fc.constant("File not found")),
    failed: fc.boolean(),
    call,
  }),
  fc.constantFrom<AgentEvent>({ what: "compacted" }, { what: "compactions-told" }, { what: "text", text: "x" }),
);

const RANK: Readonly<Record<GateLevel, number>> = { skip: 0, pass: 1, warn: 2, fail: 3 };

test("reasons are short and plain whatever a program prints, and no level falls", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), (events) => {
      const watch = aWatch();
      let before = watch.signals;
      for (const each of events) {
        watch.take(each);
        const now = watch.signals;
        for (const gate of GATES) {
          expect(RANK[now[gate].level]).toBeGreaterThanOrEqual(RANK[before[gate].level]);
          const { why = "" } = now[gate];
          expect([...why].length).toBeLessThanOrEqual(WHY_CHARS + 120);
          expect(why).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]/u);
        }
        before = now;
      }
    }),
    { numRuns: 150 },
  );
});

test("a result that no call is known of counts for nothing", () => {
  const watch = aWatch();
  for (let i = 0; i < 100; i++) watch.take({ what: "result", text: "File not found", failed: true, call: String(i) });
  expect(watch.signals.exist.level).toBe("skip");
});

test.each(["'", '"', "\\", "<<", "<<'A'\n", "a'b\"", "$(", "a|", ">", "sed -i ", " -"])(
  "a long command of %j is read in linear time",
  (piece) => {
    const read = (n: number): number => {
      const command = piece.repeat(Math.floor(n / piece.length));
      const begun = performance.now();
      for (let i = 0; i < 20; i++) actionEffect({ does: "run", command });
      return performance.now() - begun;
    };
    read(4_000);
    // Quadratic time would be seconds.
    expect(read(19_000)).toBeLessThan(2_000);
  },
);
