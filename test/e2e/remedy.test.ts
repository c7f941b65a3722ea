import { expect, test } from "vitest";
import { recording } from "../domain/behaviour/replay.ts";
import { finding, reviewer, says } from "../loop/review-stage.ts";
import { Stage } from "./stage.ts";

test("a loop ends its attempt: the next one begins from the work whose checks passed, and lands", async () => {
  using stage = new Stage();
  stage.repo("app");
  // Four times the same failing command, twice.
  stage.write("stream.jsonl", recording("claude", "circles").repeat(2));
  stage.agent(`
if (attempt === 1) fs.writeFileSync("first.txt", "good");
if (attempt === 2) {
  fs.writeFileSync("lost.txt", "half");
  fs.writeSync(1, fs.readFileSync("${stage.path("stream.jsonl")}"));
  await wait(600_000);
}
if (attempt === 3) fs.writeFileSync("second.txt", fs.readFileSync("first.txt", "utf8"));
fs.writeFileSync("${stage.root}/prompt-" + attempt, prompt);
`);
  const passes = says({ findings: [], verdict: "pass" });
  const fails = says({ findings: [finding({ file: "first.txt", line: 1 })], verdict: "fail" });
  const batch = stage.batch(["T-1"], {
    limits: { attempts: 3 },
    behaviour: { onFail: ["step-back", "gate"] },
    reviewer: {
      kind: "command",
      command: reviewer(stage.path("second"), `fs.existsSync(checkout + "/second.txt") ? ${passes} : ${fails}`),
    },
    finish: [
      { step: "check", name: "first", command: ["grep", "-q", "good", "first.txt"] },
      { step: "review" },
      { step: "merge" },
    ],
  });
  const { code, stdout } = await stage.run([batch, "--headless"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /T-1 .*in circles: had the same result \d+ times, .*; ended attempt 2; the next attempt starts from the change of attempt 1, whose checks passed \(\w{7}\); remediation 1 of 3, attempts left: 1/,
  );
  expect(stage.git("app", "show", "main:second.txt")).toBe("good");
  expect(stage.git("app", "ls-tree", "--name-only", "main")).not.toContain("lost.txt");
  expect(stage.landed()).toEqual(["T-1"]);
  expect(await stage.report()).toMatchObject({
    remediations: { made: 1, helped: 1, byAction: { "step-back": { made: 1, helped: 1 } } },
    tickets: [{ state: "done", attempts: 3 }],
  });
});
