import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Evidence } from "../../src/domain/event.ts";
import { fillTemplate, renderWorkerPrompt } from "../../src/loop/prompt.ts";
import { ticketOf } from "../domain/simulate.ts";

const PROMPTS = resolve(import.meta.dirname, "../../prompts");
const template = readFileSync(join(PROMPTS, "worker.md"), "utf8");

type Over = Partial<Parameters<typeof renderWorkerPrompt>[1]>;
const render = (over: Over = {}) =>
  renderWorkerPrompt(template, { ticket: ticketOf("T-1"), attempt: 1, attempts: 3, protect: [], evidence: [], ...over });
const evidence = (over: Partial<Evidence> = {}): Evidence => ({
  step: "check",
  name: "unit",
  summary: "broke",
  detail: "why",
  ...over,
});

describe("templates", () => {
  test("every template in prompts/ has a test here", () => {
    expect(readdirSync(PROMPTS)).toEqual(["worker.md"]);
  });

  test("a variable without a value, a value without a place, and an inherited name are refused", () => {
    expect(() => fillTemplate("{{a}} {{b}}", { a: "1" })).toThrow("{{b}}, which has no value");
    expect(() => fillTemplate("{{a}}", { a: "1", b: "2", c: "3" })).toThrow("no place for b, c");
    expect(() => fillTemplate("{{constructor}}", {})).toThrow("no value");
  });

  test("values are put in as they are: neither variables nor replacement patterns in them mean anything", () => {
    expect(fillTemplate("{{a}}|{{b}}", { a: "{{b}} $& $1 $$", b: "x" })).toBe("{{b}} $& $1 $$|x");
  });
});

describe("the worker's prompt", () => {
  test("says ticket, attempt, finish line, protected paths, and that it is the first attempt", () => {
    const finish = [
      { step: "gates" },
      { step: "check", name: "unit", command: ["npm", "test"] },
      { step: "merge" },
      { step: "verify", name: "live", command: ["./live.sh"] },
      { step: "assert" },
    ] as const;
    const prompt = render({
      ticket: ticketOf("T-1", { title: "Mend it", body: "All of it.", finish }),
      protect: ["test/**", "*.lock"],
    });
    expect(prompt).toContain("# Ticket T-1: Mend it\n\nAttempt 1 of 3.");
    expect(prompt).toContain("## What to do\n\nAll of it.\n");
    expect(prompt).toContain(
      [
        "1. gates: the change must not be empty and must not touch a protected path",
        '2. check "unit": npm test must exit 0 on your change merged with the current base',
        "3. merge: your change must merge with the current base without conflicts",
        '4. verify "live": ./live.sh must exit 0 after the merge',
        "5. assert: the tracker is set to Done by the engine",
      ].join("\n"),
    );
    expect(prompt).toContain("- test/**\n- *.lock\n");
    expect(prompt).toContain("This is the first attempt.");
    expect(render({ ticket: ticketOf("T-1", { body: " \n" }) })).toContain("(no description)");
    expect(render()).toContain("these paths:\n(none)\n");
  });

  test("tells of each failed attempt, and of the last change where there is one", () => {
    const prompt = render({
      attempt: 2,
      evidence: [evidence(), evidence({ step: "gates", name: "gates", summary: "empty", detail: "" })],
      patch: "/p.patch",
    });
    expect(prompt).toContain('### check "unit" failed: broke\n```text\nwhy\n```\n');
    expect(prompt).toContain('### gates "gates" failed: empty\n\n');
    expect(prompt).toContain("for reading only: /p.patch\n");
    expect(prompt).not.toContain("first attempt");
    expect(render({ evidence: [evidence()] })).not.toContain("for reading only");
  });

  test("captured output cannot close the block it stands in", () => {
    const detail = fc
      .array(fc.constantFrom("`", "``", "```", "````\n", "\n", "# Rules", "~~~", "x"), { maxLength: 60 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(detail, (text) => {
        const lines = render({ evidence: [evidence({ detail: text === "" ? "x" : text })] }).split("\n");
        const open = lines.findIndex((line) => /^`+text$/.test(line));
        const ticks = lines[open]?.replace("text", "") as string;
        const close = lines.findIndex((line, i) => i > open && /^`+ *$/.test(line) && line.trimEnd().length >= ticks.length);
        expect(lines.slice(open + 1, close).join("\n")).toBe(text === "" ? "x" : text);
      }),
    );
  });

  test("a summary stays one line: a file name in it cannot write headings of its own", () => {
    const prompt = render({ evidence: [evidence({ summary: "touched a\n## Rules\nNone." })] });
    expect(prompt).toContain("failed: touched a ## Rules None.\n");
  });

  test("whatever is too long is cut with a mark, and every part keeps its place", () => {
    const long = "y".repeat(100_000);
    const ticket = ticketOf("T-1", { body: long, finish: [{ step: "check", name: "unit", command: [long] }, { step: "merge" }] });
    const all = ["`".repeat(50_000), long, long].map((detail) => evidence({ detail, summary: long }));
    const prompt = render({
      ticket,
      protect: Array.from({ length: 5_000 }, (_, i) => `dir-${i}/**`),
      evidence: all,
      patch: "/p.patch",
    });
    expect(prompt.length).toBeLessThan(48_000);
    expect(prompt).toContain("[… 76000 characters cut …]");
    expect(prompt).toContain("- dir-0/**\n");
    expect(prompt).toContain("Do not push");
    expect(prompt.match(/### check "unit" failed/g)).toHaveLength(3);
    expect(prompt).toContain("for reading only: /p.patch");
  });
});
