import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { loadBatch } from "../../../src/cli/engine/load-batch.ts";
import { newRunId } from "../../../src/cli/engine/open-run.ts";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import { protectedBy } from "../../../src/loop/programs/protected-files.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { batchFile, refusal } from "../support.ts";

const folder = scratchFolder();
let root = "";
beforeEach(() => {
  root = folder();
});

function write(name: string, value: unknown): string {
  const file = join(root, name);
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  return file;
}

const commandOf = ({ agent }: Batch) => (agent.kind === "command" ? agent.command : undefined);

describe("loadBatch", () => {
  test("arguments that name a file beside the batch become absolute; options, missing files and PATH programs stay", async () => {
    write("agent.mjs", "");
    write("-agent.mjs", "");
    write("node", "");
    const { batch } = await loadBatch(write("b.json", batchFile()), { cwd: "/" });
    expect(commandOf(batch)).toEqual(["node", join(root, "agent.mjs"), "--flag", "other.mjs", "-agent.mjs"]);
  });

  test("a program given by a relative path is taken from the batch's folder, there or not; an absolute one stays", async () => {
    const command = async (...words: string[]) =>
      commandOf(
        (await loadBatch(write("b.json", batchFile({ agent: { kind: "command", command: words } })), { cwd: "/" })).batch,
      );
    expect(await command("./run.sh")).toEqual([join(root, "run.sh")]);
    expect(await command("bin/run", "/etc/hosts")).toEqual([join(root, "bin/run"), "/etc/hosts"]);
  });

  test("known by its real path, with the sha of its bytes; --workers takes the place of the limit", async () => {
    const file = write("b.json", batchFile());
    symlinkSync(file, join(root, "link.json"));
    const loaded = await loadBatch("link.json", { cwd: root, workers: 9 });
    expect(loaded).toMatchObject({ path: file, folder: root, batch: { limits: { workers: 9, attempts: 3 } } });
    expect(loaded.sha).toMatch(/^[0-9a-f]{64}$/);
    write("b.json", batchFile({ name: "x" }));
    expect((await loadBatch(file, { cwd: "/" })).sha).not.toBe(loaded.sha);
  });

  test("knows which tickets of a folder no agent would work on: what is done, and what is left to a person", async () => {
    mkdirSync(join(root, "tickets"));
    const states = { "A-1": "done", "A-2": "human-gated\nhumanStep: call them", "A-3": "open" };
    for (const [id, state] of Object.entries(states))
      write(`tickets/${id}.md`, `---\nid: ${id}\nrepo: app\nstate: ${state}\n---\n# A ticket\n\nWhat to do.\n`);
    const { tickets: _, ...batch } = batchFile({ tracker: { kind: "local", path: "tickets" } }) as Record<string, unknown>;
    const { standings } = await loadBatch(write("b.json", batch), { cwd: "/" });
    expect([...standings]).toEqual([
      ["A-1", { as: "done", text: "" }],
      ["A-2", { as: "left to a person", text: "call them" }],
    ]);
  });

  test("what cannot be read is refused in plain words, with exit 2", async () => {
    expect(await refusal(loadBatch("none.json", { cwd: root }))).toMatchObject({
      exitCode: 2,
      why: "there is no such file",
      what: "cannot read the batch file none.json",
    });
    expect(await refusal(loadBatch(".", { cwd: root }))).toMatchObject({ why: "it is a folder" });
    const bad = await refusal(loadBatch(write("bad.json", batchFile({ tickets: [{ id: "a b" }], agnet: 1 })), { cwd: "/" }));
    expect(bad).toMatchObject({ exitCode: 2, todo: "Fix the file and run the command again." });
    expect(bad.what).toMatch(/is not valid \(\d+ problems\)/);
  });
});

describe("a batch file within a repository", () => {
  const finish = [
    { step: "check", name: "tests", command: ["sh", "-c", "'{batch}/ops/check (1).sh' --all; {batch}/ops/last.sh --all"] },
    { step: "merge" },
    { step: "verify", name: "live", command: ["node", "{batch}/ops/live.mjs", "own.mjs"] },
  ];
  const over = {
    repos: { app: { path: "." } },
    reviewer: { kind: "command", command: ["node", "review.mjs"] },
    oracle: { command: ["./oracle.sh"] },
    ...{ finish, protect: ["{defaults}"] },
  };

  test("is protected, and so is what its commands name beside it", async () => {
    write("review.mjs", "");
    write("agent.mjs", "");
    const { batch } = await loadBatch(write("b.json", batchFile(over)), { cwd: "/" });
    const own = ["./b.json", "./agent.mjs", "./review.mjs", "./ops/live.mjs", "./oracle.sh"];
    expect(batch.protect).toEqual(expect.arrayContaining(own));
    const isProtected = protectedBy(batch.protect);
    const paths = ["b.json", "ops/check (1).sh", "ops/last.sh", "ops/b.json", "own.mjs", "ops/other.mjs", "README.md"];
    expect(paths.filter(isProtected)).toEqual(["b.json", "ops/check (1).sh", "ops/last.sh"]);
  });

  test("adds nothing where it lies beside the repository", async () => {
    const { batch } = await loadBatch(write("b.json", batchFile({ ...over, repos: { app: { path: "user" } } })), { cwd: "/" });
    expect(batch.protect.filter((glob) => glob.startsWith("./"))).toEqual([]);
  });
});

describe("newRunId", () => {
  const now = new Date("2026-03-04T23:59:59Z");

  test.for([
    ["night shift", /^night-shift-20260304-[0-9a-f]{4}$/],
    ["--.odd: name.--", /^odd-name-20260304-/],
    ["::", /^run-20260304-/],
    ["x".repeat(40), /^x{30}-20260304-/],
  ] as const)("%s", ([name, pattern]) => {
    expect(newRunId(name, now)).toMatch(pattern);
  });

  test("is another one each time, most of the time", () => {
    expect(new Set(Array.from({ length: 50 }, () => newRunId("a", now))).size).toBeGreaterThan(45);
  });
});
