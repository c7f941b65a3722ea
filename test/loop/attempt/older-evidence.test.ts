import { describe, expect, it } from "vitest";
import { renderWorkerPrompt } from "../../../src/loop/attempt/prompt.ts";
import { ticketOf } from "../../domain/simulate.ts";

describe("the evidence of failed checks in a prompt", () => {
  it("is the cause of an older one, and of the last one all that was kept", () => {
    const evidence = [1, 2].map((n) => {
      const detail = `cause ${n}\n${"x".repeat(3_000)}\nend ${n}`;
      return { step: "check" as const, name: "unit", summary: "broke", detail };
    });
    const options = { ticket: ticketOf("T-1"), attempt: 3, attempts: 3, protect: [], evidence };
    const template = "{{id}}{{title}}{{body}}{{attempt}}{{attempts}}{{finish}}{{protect}}{{hints}}{{evidence}}";
    const prompt = renderWorkerPrompt(template, options);
    expect(prompt).toContain("cause 1\n");
    expect(prompt).not.toContain("end 1");
    expect(prompt).toContain("end 2");
  });
});
