import { describe, expect, it } from "vitest";
import { resolveBatch } from "../../../src/domain/batch/resolve.ts";
import { BatchFile } from "../../../src/domain/batch/schema.ts";
import { batchValue, words } from "./sample.ts";

const claude = { kind: "claude", apiKeyEnv: "KEY", model: "claude-sonnet-4-5" };
const codex = { kind: "codex", apiKeyEnv: "KEY", model: "gpt-5.3-codex" };
const gemini = { kind: "gemini", apiKeyEnv: "KEY", model: "gemini-2.5-pro" };
const command = (...argv: readonly string[]) => ({ kind: "command", command: argv });

/** The problems of a batch with three vendors and a class that two reviewers read, but for this. */
const found = (part: Readonly<Record<string, unknown>>) =>
  words({ agent: claude, reviewer: codex, secondReviewer: gemini, complexity: true, ...part }).filter((line) => line !== "");

describe("a second reviewer", () => {
  it("of a third vendor is none of the others", () => {
    expect(found({})).toEqual([]);
    const frozen = resolveBatch(BatchFile.parse(batchValue({ reviewer: command("a"), secondReviewer: command("./b") })), {
      folder: "/b",
    });
    expect(frozen.secondReviewer).toMatchObject(command("./b"));
  });

  it("needs a first one", () => {
    const finish = [{ step: "review" }, { step: "review", name: "again", by: "second" }, { step: "merge" }];
    expect(found({ reviewer: undefined, finish })).toEqual([
      'secondReviewer: reads second, and the batch has no first reviewer; name one under "reviewer"',
    ]);
  });

  it("that nothing ever asks is refused, with what to do", () => {
    const never = expect.stringMatching(
      /^secondReviewer is never asked: no class has two reviewers, and no step names it; give a class of "complexity" "reviewers": 2, or /,
    );
    expect(found({ complexity: undefined })).toEqual([never]);
    expect(found({ complexity: { complex: { reviewers: 1 }, architectural: {} } })).toEqual([never]);
    const finish = [{ step: "review" }, { step: "review", name: "again", by: "second" }, { step: "merge" }];
    expect(found({ complexity: undefined, finish })).toEqual([]);
    expect(found({ complexity: undefined, tickets: [{ id: "A", title: "x", finish }] })).toEqual([]);
    expect(found({ complexity: { trivial: { reviewers: 2 }, complex: {}, architectural: {} } })).toEqual([]);
  });

  it("is no model of the agent or of the first reviewer, and no vendor's unless the batch allows it", () => {
    const opencode = { kind: "opencode", apiKeyEnv: "KEY", allowSameVendor: true };
    expect(found({ secondReviewer: claude })).toEqual([
      "secondReviewer.model is the agent's own model: it would review itself; name another model",
    ]);
    expect(found({ secondReviewer: { ...opencode, model: "openai/gpt-5.3-codex" } })).toEqual([
      "secondReviewer.model is the first reviewer's own model: it would read the same change twice; name another model",
    ]);
    expect(found({ secondReviewer: { ...codex, model: "gpt-5.2" } })).toEqual([
      "secondReviewer.kind: the first reviewer's model is of the same vendor (OpenAI); choose another kind, or set secondReviewer.allowSameVendor and name two models",
    ]);
    expect(found({ secondReviewer: { ...codex, model: "gpt-5.2", allowSameVendor: true } })).toEqual([]);
    expect(found({ secondReviewer: { kind: "codex", apiKeyEnv: "KEY", allowSameVendor: true } })).toEqual([
      "secondReviewer: nobody can tell that it is another model than the first reviewer's: the second reviewer names none; name both models",
    ]);
  });

  it.each(["./check.mjs", "{batch}/check.mjs", "{batch}/./check.mjs"])(
    "is no other command by another path to it: %s",
    (path) => {
      const [one, other] = [command("node", "check.mjs"), command("node", path)];
      expect(found({ reviewer: one, secondReviewer: other })).toEqual([
        expect.stringContaining("is the first reviewer's own command"),
      ]);
      expect(found({ agent: one, reviewer: other, secondReviewer: command("a") })).toEqual([
        expect.stringContaining("is the agent's own command"),
      ]);
    },
  );

  it("is none of their accounts either", () => {
    const fallback = [{ model: "gemini-2.5-pro" }];
    const first = { kind: "opencode", apiKeyEnv: "KEY", model: "openai/gpt-5.3-codex", fallback };
    expect(found({ reviewer: first })).toEqual([
      "reviewer.fallback[0]: with it, the second reviewer's model is the first reviewer's own model: it would read the same change twice; name another model",
    ]);
  });

  it("is no command of the agent or of the first reviewer", () => {
    const programs = { agent: command("a"), reviewer: command("b") };
    expect(found({ ...programs, secondReviewer: command("a") })).toEqual([
      "secondReviewer.command is the agent's own command: it would review itself; name another program",
    ]);
    expect(found({ ...programs, secondReviewer: command("b") })).toEqual([
      "secondReviewer.command is the first reviewer's own command: it would read the same change twice; name another program",
    ]);
    expect(found({ ...programs, secondReviewer: command("c") })).toEqual([]);
  });

  it("has its own key, sandbox, cap and use of variables", () => {
    expect(found({ secondReviewer: { kind: "gemini", model: "gemini-2.5-pro" } })).toEqual([
      expect.stringMatching(/^secondReviewer has no key/),
    ]);
    const commands = { agent: command("a"), reviewer: command("b") };
    expect(found({ ...commands, sandbox: "off" })).toEqual(['sandbox: gemini never reviews without a sandbox; use "required"']);
    expect(found({ secondReviewer: { ...gemini, usdPerReview: 60 } })).toEqual([
      expect.stringMatching(/^secondReviewer\.usdPerReview: one review costs 60 dollars, more than limits\.usdPerTicket of 15/),
    ]);
    expect(found({ secondReviewer: { ...command("c"), env: { TOKEN: "x" } } })).toEqual([
      "secondReviewer.env is for rulings on blockers, which are the reviewer's alone; leave it out",
    ]);
  });

  it("is missing where a step names it", () => {
    const finish = [{ step: "review", by: "second" }, { step: "merge" }];
    expect(words({ reviewer: command("r"), finish })).toEqual([
      'finish[0]: review asks a second reviewer, and the batch names none; name one under "secondReviewer"',
    ]);
  });
});
