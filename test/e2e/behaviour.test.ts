import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recording } from "../domain/behaviour/replay.ts";
import { Stage } from "./stage.ts";

test("a person's own command that prints a vendor's events has signals, and the next prompt begins with the alert", async () => {
  using stage = new Stage();
  stage.repo("app");
  // Four times the same failing command, twice: a warning, then a failure.
  stage.write("stream.jsonl", recording("claude", "circles").repeat(2));
  stage.agent(`
if (attempt === 1) fs.writeSync(1, fs.readFileSync("${stage.path("stream.jsonl")}"));
fs.writeFileSync("a.txt", String(attempt));
fs.writeFileSync("${stage.root}/prompt-" + attempt, prompt);
`);
  const finish = [{ step: "check", name: "second", command: ["grep", "-q", "2", "a.txt"] }, { step: "merge" }];
  const { code, events } = await stage.events(stage.batch(["T-1"], { finish }));
  expect(code).toBe(0);
  const facts = events.filter((event) => event.type === "signals-changed");
  expect(facts.flatMap(({ risen = [] }) => risen)).toContain("momentum");
  expect(facts.findLast(({ risen }) => risen !== undefined)?.signals).toMatchObject({
    exist: { level: "pass" },
    momentum: { level: "fail", isLoop: true },
    recall: { level: "pass" },
  });
  // The second attempt printed nothing that is known.
  expect(facts.at(-1)?.signals).toMatchObject({ exist: { level: "skip" }, relevance: { level: "pass" } });
  expect(readFileSync(stage.path("prompt-1"), "utf8")).not.toContain("alerts");
  expect(readFileSync(stage.path("prompt-2"), "utf8").split("\n").slice(2, 4)).toEqual([
    "loopdash computed these alerts from the earlier attempts at this ticket:",
    "- LOOP DETECTED: the last attempt repeated an action that kept giving the same result. If something does not change, do something else.",
  ]);
});

test("the feed tells of a failing gate, with thresholds of the batch", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.write("stream.jsonl", recording("codex", "chases"));
  stage.agent(`fs.writeSync(1, fs.readFileSync("${stage.path("stream.jsonl")}")); fs.writeFileSync("a.txt", "1");`);
  const behaviour = { editsAfterFailure: { warn: 1, fail: 2 } };
  const batch = stage.batch(["T-1"], { finish: [{ step: "gates" }, { step: "merge" }], behaviour });
  const { code, stdout } = await stage.run([batch, "--headless"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/T-1 .*edits without a cause: it edited .*src\/sum\.mjs again after 3 failed commands/);
});
