import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { PROGRAM, Stage } from "./stage.ts";

/** A repository with these files, all tracked. */
function repository(files: Readonly<Record<string, string>>) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  stage.repo("app", { ...files });
  const app = stage.path("app");
  const at = (path: string) => join(app, path);
  const lint = (...args: readonly string[]) => stage.run(["lint", app, ...args]);
  const found = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await lint("--json", ...args);
    if (stdout === "") throw new Error(stderr);
    return {
      code,
      ...(JSON.parse(stdout) as { findings: readonly { path: string; line: number; rule: string }[]; fixed: readonly string[] }),
    };
  };
  return { stage, app, at, lint, found, add: () => execFileSync("git", ["-C", app, "add", "-A"]) };
}

const config = (...rules: readonly object[]) => JSON.stringify({ rules }, undefined, 2);

describe("without a configuration", () => {
  test("tracked JSON and YAML is valid, and what agents read is short", async () => {
    const { lint, at } = repository({
      "package.json": '{"a": 1,}\n',
      "tsconfig.json": '{\n  // a comment\n  "a": [1,]\n}\n',
      "ci.yml": "a: [1\n",
      "test/fixtures/broken.json": "{",
      "AGENTS.md": "word ".repeat(1_800),
    });
    writeFileSync(at("untracked.json"), "{");
    const { code, stdout, stderr } = await lint();
    expect(stdout.split("\n").map((line) => line.replace(/: .*/, ""))).toEqual([
      expect.stringMatching(
        /^AGENTS\.md:1 {2}warn {2}prompt-budget {2}it is over its budget, with 1800 words of 1700 {2}\(move /,
      ),
      expect.stringMatching(/^ci\.yml:\d {2}error {2}yaml {2}it is no valid YAML$/),
      "package.json:1  error  json  it is no valid JSON",
      "2 errors, 1 warning",
      "",
    ]);
    expect(stderr).toContain("no loopdash.lint.json: the built-in rules json, jsonc, yaml, prompt-budget");
    expect(code).toBe(1);
  });

  test("warnings alone exit with 0, and with --strict with 1", async () => {
    const { lint } = repository({ "CLAUDE.md": "word ".repeat(1_800) });
    expect((await lint()).code).toBe(0);
    expect((await lint("--strict")).code).toBe(1);
  });

  test("links are followed nowhere, and files that are gone are left alone", async () => {
    const { stage, at, add, found } = repository({ "gone.json": "{", "kept/a.json": "{}" });
    stage.write("outside.json", "{");
    stage.write("elsewhere/a.json", "{");
    symlinkSync("../outside.json", at("link.json"));
    add();
    rmSync(at("gone.json"));
    rmSync(at("kept"), { recursive: true });
    symlinkSync("../elsewhere", at("kept"));
    expect(await found()).toMatchObject({
      code: 1,
      findings: [{ path: "kept/a.json", message: "it is not checked: a link leads to it" }],
    });
  });
});

test("required files are there, and tracked", async () => {
  const { at, found } = repository({
    "loopdash.lint.json": config({ check: "required", id: "legal", files: ["LICENSE", "NOTICE", "README.md"] }),
    "README.md": "x",
  });
  writeFileSync(at("NOTICE"), "n");
  const { code, findings } = await found();
  expect(code).toBe(1);
  expect(findings.map(({ path }) => path)).toEqual(["LICENSE", "NOTICE"]);
});

describe("protected files", () => {
  const rule = (sha256: string | null) =>
    `{\n  // ours\n  "rules": [{"check": "protected", "id": "guard", "files": {"guard.sh": ${JSON.stringify(sha256)}}}]\n}\n`;
  const HASH = hash("sha256", "v1\n");

  test("keep their hash; --fix alone never records another, and --accept does", async () => {
    const { at, found, lint } = repository({ "guard.sh": "v1\n", "loopdash.lint.json": rule(HASH) });
    expect(await found()).toMatchObject({ code: 0, findings: [] });
    writeFileSync(at("guard.sh"), "v2\n");
    expect(await found("--fix")).toMatchObject({ code: 1, findings: [{ path: "guard.sh", rule: "guard" }], fixed: [] });
    expect(readFileSync(at("loopdash.lint.json"), "utf8")).toBe(rule(HASH));
    expect((await lint("--accept")).code).toBe(2);
    expect(await found("--fix", "--accept")).toMatchObject({ code: 0, findings: [], fixed: ["loopdash.lint.json"] });
    // Comments and form stay.
    expect(readFileSync(at("loopdash.lint.json"), "utf8")).toBe(rule(hash("sha256", "v2\n")));
    expect(await found("--fix", "--accept")).toMatchObject({ code: 0, fixed: [] });
    rmSync(at("guard.sh"));
    expect(await found("--fix", "--accept")).toMatchObject({ code: 1, fixed: [] });
  });

  test("without a hash yet are a finding", async () => {
    const { found } = repository({ "guard.sh": "v1\n", "loopdash.lint.json": rule(null) });
    expect(await found()).toMatchObject({ code: 1, findings: [{ message: "its hash is not recorded yet" }] });
    expect(await found("--fix", "--accept")).toMatchObject({ code: 0 });
  });
});

describe("generated parts", () => {
  const rule = (id: string, command: readonly string[]) => ({
    check: "generated",
    id,
    file: "README.md",
    begin: `<!-- ${id} -->`,
    end: `<!-- /${id} -->`,
    command,
  });
  const README = "# x\n<!-- a -->\nold\n<!-- /a -->\ntext\n<!-- b -->\n<!-- /b -->\n";

  test("are what their commands print: --fix writes all of them at once, keeps the mode, and once", async () => {
    const { app, at, found } = repository({
      "README.md": README,
      "loopdash.lint.json": config(rule("a", ["printf", "one\\ntwo\\n"]), rule("b", ["printf", "three"])),
    });
    chmodSync(at("README.md"), 0o755);
    expect((await found()).findings.map(({ line, rule: by }) => [line, by])).toEqual([
      [3, "a"],
      [7, "b"],
    ]);
    expect(readFileSync(at("README.md"), "utf8")).toBe(README);
    expect(await found("--fix")).toMatchObject({ code: 0, findings: [], fixed: ["README.md"] });
    const after = "# x\n<!-- a -->\none\ntwo\n<!-- /a -->\ntext\n<!-- b -->\nthree\n<!-- /b -->\n";
    expect(readFileSync(at("README.md"), "utf8")).toBe(after);
    expect(statSync(at("README.md")).mode & 0o777).toBe(0o755);
    expect(await found("--fix")).toMatchObject({ code: 0, fixed: [] });
    expect(readdirSync(app).filter((name) => name.startsWith(".loopdash"))).toEqual([]);
  });

  test("whose command fails, or whose markers are not there once, are left as they are", async () => {
    const { at, found } = repository({
      "README.md": `${README}<!-- b -->\n`,
      "loopdash.lint.json": config(rule("a", ["sh", "-c", "echo broken >&2; exit 3"]), rule("b", ["printf", "three"])),
    });
    const { code, findings, fixed } = await found("--fix");
    expect({ code, fixed }).toEqual({ code: 1, fixed: [] });
    expect(findings).toMatchObject(
      [
        { rule: "a", message: "its command failed: broken" },
        { rule: "b", message: expect.stringContaining("one line with") },
      ].toSorted(),
    );
    expect(readFileSync(at("README.md"), "utf8")).toBe(`${README}<!-- b -->\n`);
  });
});

test("the command of a generated part has the environment of a check, and none of the user's secrets", async () => {
  const list = ["sh", "-c", "env | sed 's/=.*//' | grep -E '^(MY_TOKEN|GITHUB_TOKEN|NODE_OPTIONS|TZ|PATH)$' | sort"];
  const rule = { check: "generated", id: "names", file: "list.txt", begin: "BEGIN", end: "END", command: list };
  const { stage, at, app } = repository({ "list.txt": "BEGIN\nPATH\nTZ\nEND\n", "loopdash.lint.json": config(rule) });
  const secrets = { MY_TOKEN: "held", GITHUB_TOKEN: "held", NODE_OPTIONS: "--no-warnings", TZ: "UTC" };
  const ended = await stage.run(["lint", app, "--json", "--fix"], secrets);
  expect({ code: ended.code, text: readFileSync(at("list.txt"), "utf8") }).toEqual({ code: 0, text: "BEGIN\nPATH\nTZ\nEND\n" });
});

test("a rule can be off, or warn only", async () => {
  const rule = { check: "required", files: ["LICENSE"] };
  const { found } = repository({
    "loopdash.lint.json": config({ ...rule, id: "a", severity: "off" }, { ...rule, id: "b", severity: "warn" }),
  });
  expect(await found()).toMatchObject({ code: 0, findings: [{ rule: "b", severity: "warn" }] });
});

describe("a bad configuration exits with 2", () => {
  test.each([
    ['{"rules": [{"check": "required", "id": "a", "file": ["x"]}]}', /unknown key "file".*"files"/s],
    ['{"rules": [{"check": "require", "id": "a"}]}', /required/],
    ['{"rules": [{"check": "required", "id": "a", "files": ["../x"]}]}', /below the repository/],
    [
      '{"rules": [{"check": "required", "id": "a", "files": ["x"]}, {"check": "required", "id": "a", "files": ["y"]}]}',
      /given twice/,
    ],
    ['{"rules": [', /loopdash\.lint\.json:1/],
    ["\0\xff", /loopdash\.lint\.json/],
  ])("%s", async (text, says) => {
    const { lint } = repository({ "loopdash.lint.json": text });
    const { code, stdout, stderr } = await lint("--fix");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(says);
  });

  test("and so does a folder in no repository", async () => {
    using stage = new Stage();
    expect(await stage.run(["lint", stage.root])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no git repository"),
    });
  });
});

test("a check step runs it on the candidate", async () => {
  using stage = new Stage();
  stage.repo("app", { "a.json": "{}", "README.md": "x" });
  stage.agent(`fs.writeFileSync("a.json", attempt === 1 ? "{" : "[]");`);
  const lint = { step: "check", name: "lint", command: [process.execPath, PROGRAM, "lint"] };
  const { code, events } = await stage.events(stage.batch(["T-1"], { finish: [lint, { step: "merge" }] }));
  expect(code).toBe(0);
  const failed = events
    .filter((event) => event.type === "attempt-ended")
    .map(({ outcome, evidence }) => [outcome, evidence?.detail]);
  expect(failed).toEqual([
    ["failed", expect.stringContaining("a.json:1  error  json  it is no valid JSON")],
    ["done", undefined],
  ]);
});

describe("a file with a generated part that cannot be written back byte for byte", { timeout: 60_000 }, () => {
  const rule = {
    ...{ check: "generated", id: "list", file: "list.txt", begin: "BEGIN", end: "END" },
    command: ["/bin/sh", "-c", "touch ran; echo new"],
  };
  test.each([
    ["is no UTF-8", Buffer.from([0xe9, 0x0a, ...Buffer.from("BEGIN\nold\nEND\n")]), "it is not UTF-8 text"],
    ["has mixed line ends", Buffer.from("a\r\nBEGIN\nold\nEND\nb\r\n"), "it has mixed line ends"],
    ["has one lone line end", Buffer.from("BEGIN\r\nold\r\nEND\r\nlast\n"), "it has mixed line ends"],
  ])("%s: it is refused, and stays as it is", async (_, bytes, why) => {
    const { at, found, add } = repository({ "loopdash.lint.json": config(rule), "list.txt": "" });
    writeFileSync(at("list.txt"), bytes);
    add();
    const { code, findings, fixed } = await found("--fix");
    expect({ code, fixed }).toEqual({ code: 1, fixed: [] });
    expect(findings).toMatchObject([{ path: "list.txt", message: `its generated part cannot be written: ${why}` }]);
    expect(readFileSync(at("list.txt"))).toEqual(bytes);
    expect(readdirSync(at("."))).not.toContain("ran");
  });

  test("a byte order mark and one kind of line end are kept", async () => {
    const { at, found, add } = repository({ "loopdash.lint.json": config(rule), "list.txt": "" });
    writeFileSync(at("list.txt"), "\ufeffBEGIN\r\nold\r\nEND\r\n");
    add();
    expect(await found("--fix")).toMatchObject({ code: 0, fixed: ["list.txt"] });
    expect(readFileSync(at("list.txt"), "utf8")).toBe("\ufeffBEGIN\r\nnew\r\nEND\r\n");
  });

  test("what the command prints is no UTF-8: it is refused", async () => {
    const odd = { ...rule, command: ["/bin/sh", "-c", "printf '\\351\\n'"] };
    const { at, found } = repository({ "loopdash.lint.json": config(odd), "list.txt": "BEGIN\nold\nEND\n" });
    expect(await found("--fix")).toMatchObject({ code: 1, fixed: [], findings: [{ message: expect.stringContaining("UTF-8") }] });
    expect(readFileSync(at("list.txt"), "utf8")).toBe("BEGIN\nold\nEND\n");
  });

  test("its command prints a marker: it is refused, because the next time there would be two", async () => {
    const odd = { ...rule, command: ["echo", "the END"] };
    const { at, found } = repository({ "loopdash.lint.json": config(odd), "list.txt": "BEGIN\nold\nEND\n" });
    expect(await found("--fix")).toMatchObject({
      code: 1,
      fixed: [],
      findings: [{ message: expect.stringContaining("marker") }],
    });
    expect(readFileSync(at("list.txt"), "utf8")).toBe("BEGIN\nold\nEND\n");
  });
});
