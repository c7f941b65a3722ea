import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { terminals } from "./pty.ts";
import { HONEST, Stage } from "./stage.ts";

const open = terminals();
const TOKEN = "live/Token+4711-not-for-agents";
const BASE64 = Buffer.from(TOKEN).toString("base64");
const FORMS = [TOKEN, BASE64.slice(0, -4), encodeURIComponent(TOKEN)];
const MARK = "[secret staging]";

/** Fails until the second attempt has landed, and prints the token in three ways. */
const VERIFY = `#!/bin/sh
echo "raw $TOKEN"; printf 'base64 '; printf %s "$TOKEN" | base64 -w 0; echo
echo "url ${encodeURIComponent(TOKEN)}"
exit 1
`;

/** The texts of a run's files with this name. */
function texts(stage: Stage, pattern: string): string {
  const files = globSync(`runs/*/${pattern}`, { cwd: stage.home }).toSorted();
  expect(files, pattern).not.toEqual([]);
  return files.map((file) => readFileSync(join(stage.home, file), "latin1")).join("\n");
}

function expectMasked(text: string, what: string): void {
  expect(text, what).toContain(MARK);
  for (const form of FORMS) expect(text, what).not.toContain(form);
}

test("a token that a verify prints in three ways, and that a change repeats, is masked wherever people and agents look", {
  timeout: 240_000,
}, async () => {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  stage.repo("app");
  stage.agent(
    `${HONEST} fs.writeFileSync("fixture-" + attempt + ".txt", "${TOKEN}\\n${BASE64}\\n${encodeURIComponent(TOKEN)}\\n");`,
  );
  stage.write("verify.sh", VERIFY, 0o755);
  const red = { step: "check", name: "red", command: ["false"], canary: "off" };
  const batch = stage.batch(["T-1", { id: "T-2", finish: [red, { step: "merge" }] }], {
    sandbox: "required",
    limits: { attempts: 2 },
    secrets: { staging: { env: "STAGING_TOKEN" } },
    live: { repeats: 0 },
    finish: [
      { step: "merge" },
      { step: "verify", name: "live", command: ["{batch}/verify.sh"], env: { TOKEN: "{secret:staging}" } },
    ],
  });
  const { code, stdout } = await stage.run([batch, "--json"], { STAGING_TOKEN: TOKEN });
  expect(code).toBe(1);
  expectMasked(stdout, "events");
  expectMasked(texts(stage, "tickets/T-1/attempt-2/prompt.md"), "the prompt of the next attempt");
  expectMasked(texts(stage, "tickets/T-2/attempt-1/change.patch"), "patch");
  expectMasked(texts(stage, "tickets/T-1/attempt-*/*live*.log"), "log");
  expect(texts(stage, "tickets/T-1/attempt-*/*live*.log")).toMatch(
    /raw \[secret staging\]\nbase64 \[secret staging\]\nurl \[secret staging\]/,
  );
  for (const form of FORMS) expect(stage.everything()).not.toContain(form);
  for (const format of ["--md", "--html", "--json"]) {
    const { stdout: report } = await stage.run(["report", format]);
    for (const form of FORMS) expect(report, format).not.toContain(form);
  }

  const pty = open(stage, ["attach"], { columns: 120, rows: 40 });
  await pty.waitFor(/raw \[secret staging\]/);
  pty.type("q");
  await pty.ended;
  expect(pty.raw).toContain(MARK);
  for (const form of FORMS) expect(pty.raw).not.toContain(form);
});
