import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { setStory, tell } from "../example/story-stage.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import { anthropicStandIn, responsesStandIn, type Script } from "./stand-in.ts";

const missing = whyWithout("claude") ?? whyWithout("codex");
beforeEach(({ skip }) => skip(missing !== undefined, missing));

const REVIEWER = resolve(import.meta.dirname, "../../example/reviewer.mjs");
const bin = (name: string) => join(programsFolder(), "node_modules/.bin", name);

/** Works each ticket as the example's agent does, by the program's own tool. */
const worker =
  (agent: () => string): Script =>
  (turn) =>
    turn > 0 ? { say: "I stop here." } : { say: "I work.", tool: { name: "Bash", input: { command: `node ${agent()}` } } };

/** Answers as the example's reviewer does. */
const reviewer: Script = (_turn, asked) => {
  const folder = mkdtempSync(join(tmpdir(), "loopdash-asked-"));
  try {
    const { input }: { input: readonly { role?: string; content?: readonly { text?: string }[] }[] } = JSON.parse(asked);
    const texts = input.flatMap(({ content = [] }) => (Array.isArray(content) ? content.map(({ text }) => text ?? "") : []));
    const prompt = texts.find((text) => text.includes("LOOPDASH ANSWER BEGIN")) ?? "";
    const file = join(folder, "prompt.md");
    writeFileSync(file, prompt);
    const question = /^# A claimed blocker/m.test(prompt) ? "adjudicate" : "review";
    const env = { LOOPDASH_PROMPT: file, LOOPDASH_QUESTION: question };
    return { say: execFileSync(process.execPath, [REVIEWER], { env, encoding: "utf8" }) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

test("the example's batch, worked by the real claude and reviewed by the real codex", { timeout: 900_000 }, async () => {
  let agent = "";
  const work = await anthropicStandIn(worker(() => agent));
  const review = await responsesStandIn(reviewer);
  const keys = { MY_MODEL_KEY: "sk-of-the-worker-0123456789", MY_REVIEW_KEY: "sk-of-the-reviewer-0123456789" };
  const over = {
    agent: {
      ...{ kind: "claude", model: "claude-sonnet-4-5", program: bin("claude") },
      ...{ apiKeyEnv: "MY_MODEL_KEY", baseUrl: `http://127.0.0.1:${work.port}` },
    },
    reviewer: {
      ...{ kind: "codex", model: "gpt-5.3-codex", program: bin("codex"), usdPerReview: 3 },
      ...{ apiKeyEnv: "MY_REVIEW_KEY", baseUrl: `http://127.0.0.1:${review.port}/v1` },
    },
    sandbox: "required",
    limits: {
      workers: 2,
      attempts: 3,
      discoveries: 5,
      minutesPerAttempt: 2,
      silenceMinutes: 0.4,
      usdPerTicket: 50,
      usdPerRun: 150,
    },
  };
  await using story = await setStory({ over, keys });
  agent = join(story.folder, "example", "agent.mjs");
  const events = await tell(story);
  // The program's own hook tells what these leave red. The model stops all the same, so their attempts fail, and the next ones know why.
  const told = events.flatMap((event) => (event.type === "stop-guard-told" ? [`${event.ticket} ${event.n} of ${event.of}`] : []));
  expect(told.toSorted()).toEqual(["INFRA-2-d1", "SHOP-1", "SHOP-4"].flatMap((id) => [`${id} 1 of 2`, `${id} 2 of 2`]));
  const spent = events.flatMap((event) => (event.type === "agent-ended" ? [event.costUsd] : []));
  expect(spent.length).toBeGreaterThan(11);
  expect(spent.filter((usd) => usd === 0)).toEqual([]);
  expect(work.seen.length).toBeGreaterThan(20);
  expect(review.seen.length).toBeGreaterThan(10);
});
