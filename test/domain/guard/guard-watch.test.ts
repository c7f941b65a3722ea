import { CANARY_CALL, FAMILIES, guardCanary } from "@loopdash/guard";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GuardComparison, readReportLine } from "../../../src/domain/guard/guard-watch.ts";
import type { AgentEvent } from "../../../src/domain/run/agent-event.ts";

const judged = (over: object = {}) => JSON.stringify({ event: "before-tool", tool: "Bash", verdict: "allow", ...over });
const read = (text: string) => {
  const line = readReportLine(text);
  if (line === undefined) throw new Error(`no line: ${text}`);
  return line;
};

describe("readReportLine", () => {
  it("reads what a hook writes, with plain and bounded texts", () => {
    expect(readReportLine('{"event":"session-start"}')).toEqual({ what: "session-start" });
    expect(readReportLine(judged())).toEqual({ what: "judged", isShell: true });
    const command = `git reset --hard \u001b[31m${"x".repeat(500)}`;
    const line = readReportLine(judged({ verdict: "block", rule: "git-reset", subject: command }));
    expect(line).toMatchObject({ what: "judged", blocked: { rule: "git-reset" } });
    expect(JSON.stringify(line).length).toBeLessThan(300);
    expect(JSON.stringify(line)).not.toContain("\\u001b");
    expect(readReportLine('{"event":"stop","unmet":"tests fails","n":1,"of":2}')).toMatchObject({ what: "stop", n: 1, of: 2 });
  });

  it("leaves out canaries, unknown rules, long lines and what is no line", () => {
    for (const text of [
      judged({ id: CANARY_CALL }),
      judged({ verdict: "block", rule: "toString" }),
      judged({ verdict: "block" }),
      judged({ verdict: "maybe" }),
      judged({ subject: "x".repeat(10_000) }),
      '{"event":"stop","unmet":"x","n":-1,"of":2}',
      '{"event":"stop","unmet":"x","n":1e9,"of":2}',
      "",
      "null",
      "[]",
      "{",
    ])
      expect(readReportLine(text), text.slice(0, 80)).toBeUndefined();
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readReportLine(text)));
  });
});

describe("GuardComparison", () => {
  const use: AgentEvent = { what: "tool", text: "Bash", call: "1", action: { does: "run", command: "ls" } };
  const result: AgentEvent = { what: "result", text: "", failed: false, call: "1" };

  it("finds nothing while every shell command is judged", () => {
    const comparison = new GuardComparison();
    comparison.line({ what: "session-start" });
    comparison.line(read(judged()));
    comparison.event(use);
    comparison.event(result);
    // Blocked commands are judged too, and codex prints no events for them.
    comparison.line(read(judged({ verdict: "block", rule: "git-reset" })));
    expect(comparison.why).toBeUndefined();
  });

  it("finds a session that was not reported, and commands that nobody judged", () => {
    const comparison = new GuardComparison();
    expect(comparison.why).toBeUndefined();
    comparison.event(use);
    expect(comparison.why).toMatch(/start of the session/);
    comparison.line({ what: "session-start" });
    expect(comparison.why).toBeUndefined();
    comparison.event(result);
    // Judging a file says nothing about commands.
    comparison.line(read(judged({ tool: "Read" })));
    expect(comparison.why).toBe("1 shell command ran without being judged");
  });
});

describe("guardCanary", () => {
  it("is blocked by whatever family is left on, and there is none if all are off", () => {
    const off = Object.fromEntries(Object.keys(FAMILIES).map((name) => [name, false]));
    expect(guardCanary({})).toBe("git reset --hard");
    for (const name of Object.keys(FAMILIES)) expect(guardCanary({ families: { ...off, [name]: true } }), name).toBeDefined();
    expect(guardCanary({ families: off, onParseError: "allow" })).toBeUndefined();
  });
});
