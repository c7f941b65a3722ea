import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAuditRow } from "../../src/domain/audit/audit-row.ts";
import { recording } from "../domain/behaviour/replay.ts";
import { runFolder, verified } from "./bundle-stage.ts";
import { Stage } from "./stage.ts";

const TOKEN = "live/Token+4711-not-for-agents";

/** A stream of claude: an edit, the command that fails, and one that repeats a token. */
const stream = [
  ...recording("claude", "chases").split("\n").slice(0, 7),
  JSON.stringify({
    type: "assistant",
    message: {
      content: [
        {
          type: "tool_use",
          id: "t9",
          name: "Bash",
          input: { command: `ls; curl -H 'x: ${TOKEN}' ${"y".repeat(3_950)}${TOKEN}` },
        },
      ],
    },
  }),
  JSON.stringify({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: "t9", content: "Exit code 7\nno", is_error: true }] },
  }),
  "",
].join("\n");

async function aRun(stage: Stage): Promise<string> {
  stage.repo("app");
  stage.write("stream.jsonl", stream);
  stage.write("token", `${TOKEN}\n`);
  stage.agent(`fs.writeSync(1, fs.readFileSync("${stage.path("stream.jsonl")}")); fs.writeFileSync(ticket + ".txt", "1");`);
  const batch = stage.batch(["T-1", "T-2"], {
    secrets: { staging: { file: "token" } },
    limits: { workers: 1 },
    finish: [{ step: "merge" }],
  });
  const { code, stderr } = await stage.run([batch, "--headless"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return join(runFolder(stage.home), "audit", "000001.jsonl");
}

test("each mutating command of each attempt is in the log with its real exit code, and secrets are masked", async () => {
  using stage = new Stage();
  const file = await aRun(stage);
  const rows = readFileSync(file, "utf8").trimEnd().split("\n").map(readAuditRow);
  expect(rows).toHaveLength(6);
  for (const ticket of ["T-1", "T-2"])
    expect(rows.filter((row) => row?.kind !== "torn" && row?.ticket === ticket)).toMatchObject([
      { kind: "edit", exit: 0, command: "/work/worktree/src/sum.mjs", attempt: 1, vendor: "command" },
      { kind: "run", exit: 1, command: "node check.mjs" },
      // Masked before it is cut: no part of a token is left at the end.
      { kind: "run", exit: 7, command: expect.stringMatching(/^ls; curl -H 'x: \[secret staging\]' y+\[sec/) },
    ]);
  expect(readFileSync(file, "utf8")).not.toContain("live/");
  const { code, found } = await verified(stage, []);
  expect({ code, problems: found.problems, audited: found.audited }).toEqual({ code: 0, problems: [], audited: 6 });
});

test("`verify-journal` and a bundle prove the log up to the run's end", async () => {
  using stage = new Stage();
  const file = await aRun(stage);
  const before = readFileSync(file, "utf8");
  const out = stage.path("out");
  mkdirSync(out);
  expect((await stage.run(["report", "--bundle", out])).code).toBe(0);
  const [archive = ""] = readdirSync(out);
  const packed = await verified(stage, [join(out, archive)]);
  expect(packed).toMatchObject({ code: 0, found: { audited: 6, problems: [] } });
  const problems = async () =>
    (await verified(stage, [])).found.problems.map(({ kind, path, why }) => `${kind}: ${path}: ${why}`);
  const at = "audit/000001.jsonl";
  writeFileSync(file, before.replace('"exit":1', '"exit":0'));
  expect(await problems()).toEqual([
    `changed: ${at}: row 2: it was changed after it was written, or row 3 was. Nothing behind row 2 is proven`,
  ]);
  const lines = before.split("\n");
  writeFileSync(file, `${lines.slice(0, 5).join("\n")}\n`);
  expect(await problems()).toEqual([`changed: ${at}: row 6 was written last, and the log ends with row 5`]);
  writeFileSync(file, lines.toSpliced(1, 1).join("\n"));
  expect(await problems()).toEqual([expect.stringContaining("row 2: it is missing (the next one is row 3)")]);
  renameSync(file, `${file}.away`);
  expect(await problems()).toEqual([`missing: ${at}: the journal names rows of it, and it is not there`]);
  rmSync(`${file}.away`);
  expect(existsSync(file)).toBe(false);
});
