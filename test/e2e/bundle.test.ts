import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { flip, rewriteJournal, runFolder, sql, verified } from "./bundle-stage.ts";
import { Stage } from "./stage.ts";

const TOKEN = "planted-Token/4711-of-nobody";
const FORMS = [TOKEN, Buffer.from(TOKEN).toString("base64").slice(0, -4), encodeURIComponent(TOKEN)];

/** The first attempt at T-1 fails its check; the agent prints and leaves a secret that it found somewhere. */
const AGENT = `
say("the token is ${TOKEN}");
fs.writeFileSync(process.env.LOOPDASH_OUTBOX + "/notes.md", "a note");
fs.mkdirSync(process.env.LOOPDASH_OUTBOX + "/discovered", { recursive: true });
fs.writeFileSync(process.env.LOOPDASH_OUTBOX + "/found.txt", Buffer.from("${TOKEN}").toString("base64"));
fs.writeFileSync(ticket + ".txt", (ticket === "T-1" && attempt === 1 ? "bad" : "good") + " ${TOKEN}\\n");
`;

describe("a run that has ended", { timeout: 300_000 }, () => {
  let stage: Stage;
  let copies = 0;
  let archive = "";

  beforeAll(async () => {
    stage = new Stage();
    stage.repo("app", { "README.md": "# test\n", "check.sh": "#!/bin/sh\n! grep -q bad *.txt\n" });
    stage.agent(AGENT);
    stage.write("token", `${TOKEN}\n`);
    const batch = stage.batch(["T-1", "T-2"], {
      secrets: { planted: { file: "token" } },
      finish: [{ step: "check", name: "tests", command: ["sh", "check.sh"] }, { step: "merge" }],
    });
    const { code, stderr } = await stage.run([batch, "--headless"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const written = await stage.run(["report", "--bundle", "out"]);
    expect(written).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^loopdash: wrote \d+ files of 3 attempts, \d+ bytes\n$/),
    });
    archive = written.stdout.trimEnd();
  });
  afterAll(() => stage[Symbol.dispose]());

  /** A copy of the state folder that a test may change. */
  const copyOfHome = (): string => {
    copies += 1;
    const home = stage.path(`copy-${copies}`);
    cpSync(stage.home, home, { recursive: true });
    return home;
  };

  /** The unpacked archive in a new folder, which a test may change. */
  const unpacked = (): string => {
    copies += 1;
    const folder = stage.path(`unpacked-${copies}`);
    mkdirSync(folder);
    execFileSync("tar", ["xzf", archive, "-C", folder]);
    const [name = ""] = readdirSync(folder);
    return join(folder, name);
  };

  test("holds, in its records, in the archive and unpacked elsewhere by somebody else", async () => {
    const records = await verified(stage, []);
    expect(records).toMatchObject({
      code: 0,
      found: { ok: true, source: "records", ended: true, bundles: 3, problems: [], notes: [] },
    });
    const elsewhere = { HOME: "/nonexistent", LOOPDASH_HOME: "", XDG_STATE_HOME: "/nonexistent" };
    for (const [path, source] of [
      [archive, "archive"],
      [unpacked(), "folder"],
    ] as const) {
      const { code, found } = await verified(stage, [path], elsewhere);
      expect({ code, found }).toMatchObject({
        code: 0,
        found: { ok: true, source, ended: true, bundles: 3, problems: [], notes: [] },
      });
      expect([found.rows, found.head]).toEqual([records.found.rows, records.found.head]);
    }
    const { stdout } = await stage.run(["verify-journal"]);
    expect(stdout).toMatch(/^test-\S+: all of it holds\n {2}holds: \d+ rows of the journal, the last is [0-9a-f]{64}\n/);
  });

  test("has a page for people, and each file that matters", () => {
    const folder = unpacked();
    const names = (n: number, ticket = "T-1") => readdirSync(join(folder, `tickets/${ticket}/attempt-${n}`)).toSorted();
    const both = "agent.log bundle.json bundle.md change.stat check-tests.log outbox prompt.md reflection.json".split(" ");
    expect(names(1)).toEqual([...both, "change.patch"].toSorted());
    // Its proof ran after its end, or beside its check if that took long.
    const isProof = (name: string) => name === "later" || name.startsWith("check-tests-proof");
    expect(names(2).filter((name) => !isProof(name))).toEqual([...both, "captured.patch"].toSorted());
    expect(names(2).some(isProof)).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(["bundle", "bundle.json", "bundle.md", "tickets"]);
    const page = readFileSync(join(folder, "tickets/T-1/attempt-1/bundle.md"), "utf8");
    expect(page).toContain("# T-1, attempt 1: failed\n");
    expect(page).toContain("| check tests | failed |");
    const own = readFileSync(join(folder, "bundle.md"), "utf8");
    expect(own).toContain("| T-1 | 2 | done | [bundle.md](tickets/T-1/attempt-2/bundle.md) |");
    expect(JSON.parse(readFileSync(join(folder, "bundle/report.json"), "utf8"))).toMatchObject({ verdict: "done", attempts: 3 });
    expect(readFileSync(join(folder, "bundle/summary.md"), "utf8")).toContain("## Shipped");
    expect(JSON.parse(readFileSync(join(folder, "bundle/oracle.json"), "utf8")).at(-1)).toMatchObject({
      judgement: { verdict: "done" },
    });
  });

  test("holds plain files alone, below one folder, and no secret in any form", () => {
    const folder = unpacked();
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => !entry.isFile() && !entry.isDirectory())).toEqual([]);
    expect(execFileSync("tar", ["tzf", archive], { encoding: "utf8" })).not.toMatch(/^\/|\.\./m);
    const all = entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect(all.join("\n")).toContain("the token is [secret planted]");
    for (const form of FORMS) expect(all.join("\n")).not.toContain(form);
    expect(existsSync(join(folder, "tickets/T-1/attempt-1/outbox/notes.md"))).toBe(true);
    const list = JSON.parse(readFileSync(join(folder, "tickets/T-1/attempt-1/bundle.json"), "utf8"));
    expect(list.leftOut).toEqual([{ path: "outbox/found.txt", why: "it holds a secret" }]);
  });

  const T1 = "tickets/T-1/attempt-1";
  test.each<[what: string, change: (folder: string) => void, problem: object]>([
    ["a byte of a patch", (at) => flip(join(at, T1, "change.patch")), { kind: "changed", path: `${T1}/change.patch` }],
    ["a byte of a log", (at) => flip(join(at, T1, "agent.log")), { kind: "changed", path: `${T1}/agent.log` }],
    ["a byte of a list", (at) => flip(join(at, T1, "bundle.json")), { kind: "changed", path: `${T1}/bundle.json` }],
    ["a removed file", (at) => rmSync(join(at, T1, "prompt.md")), { kind: "missing", path: `${T1}/prompt.md` }],
    ["a removed list", (at) => rmSync(join(at, T1, "bundle.json")), { kind: "missing", path: `${T1}/bundle.json` }],
    [
      "a link to the same bytes",
      (at) => {
        cpSync(join(at, T1, "agent.log"), join(at, "../../moved"));
        rmSync(join(at, T1, "agent.log"));
        symlinkSync("../../../../../moved", join(at, T1, "agent.log"));
      },
      { kind: "not readable", path: `${T1}/agent.log` },
    ],
    ["a byte of the summary", (at) => flip(join(at, "bundle/summary.md")), { kind: "changed", path: "bundle/summary.md" }],
    [
      "a judgement, with the list of the run made anew",
      (at) => {
        const file = join(at, "bundle/oracle.json");
        const text = readFileSync(file, "utf8").replace('"verdict": "done"', '"verdict": "not-done"');
        writeFileSync(file, text);
        const list = JSON.parse(readFileSync(join(at, "bundle.json"), "utf8"));
        const sha256 = hash("sha256", text);
        const files = list.files.map((each: { path: string }) =>
          each.path === "bundle/oracle.json" ? { ...each, sha256 } : each,
        );
        writeFileSync(join(at, "bundle.json"), JSON.stringify({ ...list, files }));
      },
      { kind: "changed", path: "bundle/oracle.json", why: "the journal says something else" },
    ],
  ])("is found out after a change of %s, in its records and in an unpacked archive", async (_, change, problem) => {
    const home = copyOfHome();
    change(runFolder(home));
    const folder = unpacked();
    change(folder);
    for (const { code, found } of [await verified(stage, [], { LOOPDASH_HOME: home }), await verified(stage, [folder])]) {
      expect(found.problems).toMatchObject([problem]);
      expect({ code, ok: found.ok }).toEqual({ code: 1, ok: false });
    }
  });

  test("is found out if its records lack the run's own list", async () => {
    const home = copyOfHome();
    rmSync(join(runFolder(home), "bundle.json"));
    const { code, found } = await verified(stage, [], { LOOPDASH_HOME: home });
    expect({ code, problems: found.problems }).toMatchObject({ code: 1, problems: [{ kind: "missing", path: "bundle.json" }] });
  });

  test("is found out if an archive, or its folder, has a file that no list names", async () => {
    const folder = unpacked();
    writeFileSync(join(folder, T1, "check-x.log"), "all is well\n");
    symlinkSync("agent.log", join(folder, T1, "check-y.log"));
    const { code, found } = await verified(stage, [folder]);
    expect(code).toBe(1);
    expect(found.problems).toEqual(
      ["check-x.log", "check-y.log"].map((name) => ({ kind: "unlisted", path: `${T1}/${name}`, why: "no list names it" })),
    );
    rmSync(join(folder, T1, "check-y.log"));
    execFileSync("tar", ["czf", `${folder}.tgz`, "-C", join(folder, ".."), basename(folder)]);
    expect((await verified(stage, [`${folder}.tgz`])).found.problems).toMatchObject([
      { kind: "unlisted", path: `${T1}/check-x.log` },
    ]);
  });

  test.each<[what: string, statement: string, why: RegExp]>([
    [
      "a changed row",
      "UPDATE journal SET data = replace(data, 'failed', 'passed') WHERE type = 'attempt-ended'",
      /it was changed after it was written/,
    ],
    ["a row that is gone", "DELETE FROM journal WHERE seq = 5", /row 5: it is missing/],
    [
      "a row cut from the end",
      "DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)",
      /was written last, and the journal ends with row/,
    ],
    [
      "a row cut from the end, with the recorded end moved",
      `DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal);
       UPDATE runs SET head_seq = (SELECT max(seq) FROM journal), head_hash = (SELECT hash FROM journal ORDER BY seq DESC LIMIT 1)`,
      /the run has ended, and its journal does not say so/,
    ],
  ])("is found out after a change of its journal: %s", async (_, statement, why) => {
    const home = copyOfHome();
    sql(home, statement);
    const { code, found } = await verified(stage, [], { LOOPDASH_HOME: home });
    expect(code).toBe(1);
    expect(found.problems[0]).toMatchObject({ kind: "journal", why: expect.stringMatching(why) });
  });

  test.each<[what: string, change: (lines: string[]) => string[], why: RegExp]>([
    [
      "a changed row",
      (rows) => rows.map((row) => row.replace('\\"outcome\\":\\"failed\\"', '\\"outcome\\":\\"passed\\"')),
      /it was changed after it was written/,
    ],
    ["a row cut from the end", (rows) => rows.slice(0, -1), /was written last, and the journal ends with row/],
    ["no row at all", () => [], /was written last, and the journal ends with row 0/],
  ])("is found out after a change of the journal of an archive: %s", async (_, change, why) => {
    const folder = unpacked();
    const file = join(folder, "bundle/journal.jsonl");
    const rows = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(
      file,
      change(rows)
        .map((row) => `${row}\n`)
        .join(""),
    );
    const { code, found } = await verified(stage, [folder]);
    expect(code).toBe(1);
    expect(found.problems[0]).toMatchObject({ kind: "journal", why: expect.stringMatching(why) });
    expect(found.problems).toContainEqual(expect.objectContaining({ kind: "changed", path: "bundle/journal.jsonl" }));
  });

  test("is archived without what was changed since, and says so", async () => {
    const home = copyOfHome();
    flip(join(runFolder(home), T1, "agent.log"));
    const env = { LOOPDASH_HOME: home };
    const { code, stderr, stdout } = await stage.run(["report", "--bundle", stage.path("changed")], env);
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`loopdash: left out: ${T1}/agent.log: it was changed since it was listed\n`),
    });
    const { found } = await verified(stage, [stdout.trimEnd()]);
    expect(found.problems).toMatchObject([{ kind: "missing", path: `${T1}/agent.log` }]);
  });

  test("is archived without the list of another version, and what that lists, and says so", async () => {
    const home = copyOfHome();
    const file = join(runFolder(home), T1, "bundle.json");
    const before = hash("sha256", readFileSync(file));
    const text = readFileSync(file, "utf8").replace('"format": 1', '"format": 2');
    writeFileSync(file, text);
    rewriteJournal(home, (data) => data.replace(before, hash("sha256", text)));
    const env = { LOOPDASH_HOME: home };
    expect((await verified(stage, [], env)).found.problems).toEqual([
      { kind: "malformed", path: `${T1}/bundle.json`, why: "it is no list that this loopdash knows" },
    ]);
    const { code, stderr, stdout } = await stage.run(["report", "--bundle", stage.path("other-version")], env);
    const why = "it has another form: another version of loopdash wrote it; the files that it lists are left out too";
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`left out: ${T1}/bundle.json: ${why}\n`) });
    expect(execFileSync("tar", ["tzf", stdout.trimEnd()], { encoding: "utf8" })).not.toContain(`/${T1}/`);
  });

  test("has a list of its own that is of another version: nothing is checked by it, and that is told", async () => {
    const home = copyOfHome();
    const file = join(runFolder(home), "bundle.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"format": 1', '"format": 2'));
    const { code, found } = await verified(stage, [], { LOOPDASH_HOME: home });
    const why = "it is no list of a run that this loopdash knows";
    expect({ code, problems: found.problems }).toEqual({ code: 1, problems: [{ kind: "malformed", path: "bundle.json", why }] });
  });

  test("overwrites no archive unless it is told to, and leaves nothing half made", async () => {
    const before = statSync(archive).mtimeMs;
    expect(await stage.run(["report", "--bundle", "out"])).toMatchObject({
      ...{ code: 2, stdout: "" },
      stderr: expect.stringContaining("add --force"),
    });
    expect(statSync(archive).mtimeMs).toBe(before);
    expect(await stage.run(["report", "--bundle", "out", "--force"])).toMatchObject({
      ...{ code: 0, stdout: `${archive}\n` },
      stderr: expect.stringMatching(/^loopdash: replaced/),
    });
    expect(readdirSync(stage.path("out"))).toHaveLength(1);
    stage.write("file", "mine");
    expect(await stage.run(["report", "--bundle", "file"])).toMatchObject({ code: 2 });
    expect(readFileSync(stage.path("file"), "utf8")).toBe("mine");
  });

  test.each([
    ["nothing.tar.gz", "there is nothing at this path"],
    ["./app", "it has no bundle.json"],
    ["./check.tgz", "it has no bundle.json; it cannot be read to its end"],
    ["no-such-run", "no run has this name"],
  ])("is not taken for %s", async (name, why) => {
    stage.write("check.tgz", "no archive");
    const { code, stderr } = await stage.run(["verify-journal", name]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  });
});
