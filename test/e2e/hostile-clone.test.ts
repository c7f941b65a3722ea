import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { DRIVES, drive, HARMLESS, Traps } from "./traps.ts";

test("every verb is driven", () => {
  const verbs = createProgram().commands;
  expect(Object.keys(DRIVES).toSorted()).toEqual(verbs.map((verb) => verb.name()).toSorted());
  for (const verb of verbs)
    for (const act of verb.registeredArguments[0]?.argChoices ?? [])
      if (verb.name() !== "hook" && verb.name() !== "completion")
        expect(DRIVES[verb.name()]?.map(([word]) => word)).toContain(act);
});

/** Opens a clone once for all tests of a group. */
function aClone(prepare: (traps: Traps) => void = () => undefined): () => Traps {
  let traps: Traps;
  beforeAll(async () => {
    traps = new Traps();
    await traps.open();
    prepare(traps);
  });
  afterAll(() => traps.close());
  return () => traps;
}

describe("in a clone whose settings name programs and hosts", () => {
  const clone = aClone();
  test.each(Object.entries(DRIVES))("loopdash %s starts none of them and asks none of them", async (verb, all) => {
    const traps = clone();
    for (const cwd of [traps.path("app"), traps.root])
      for (const args of all) expect([verb, args, await drive(traps, verb, args, cwd)]).toEqual([verb, args, HARMLESS]);
  });
});

/** Names that verbs, or git for them, read. */
const READ = [
  ..."package.json BOUND.md Makefile pyproject.toml .gitignore .gitattributes CLAUDE.md AGENTS.md .npmrc".split(" "),
  ..."loopdash.lint.json requirements.txt .gitmodules .env .mcp.json .claude/settings.json batch.json ticket.json quiet.json agent.mjs".split(
    " ",
  ),
];

/** Verbs that look into a clone, or read a file that a person names. */
const LOOKING = ["run", "init", "ci", "oracle", "add", "doctor", "guard", "bound", "lint"];

async function driveLooking(traps: Traps, verbs: readonly string[] = LOOKING): Promise<void> {
  for (const verb of verbs)
    for (const args of DRIVES[verb] ?? [])
      expect([verb, args, await drive(traps, verb, args, traps.path("app"))]).toEqual([verb, args, HARMLESS]);
}

/** What may lie at such a name in a folder that was not cloned, but unpacked. */
const PLANTED: Readonly<Record<string, (path: string) => void>> = {
  pipes: (path) => void execFileSync("mkfifo", [path]),
  "huge files": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 40 * 2 ** 30);
  },
  "links to endless files": (path) => symlinkSync("/dev/zero", path),
  "links out of it": (path) => symlinkSync("../outside", path),
  folders: (path) => mkdirSync(join(path, "a"), { recursive: true }),
};

describe.each(Object.entries(PLANTED))("in a clone with %s at the names that are read", (_, plant) => {
  const clone = aClone((traps) => {
    traps.write("outside", "secret\n");
    for (const name of READ) {
      const path = traps.path("app", name);
      rmSync(path, { force: true, recursive: true });
      mkdirSync(join(path, ".."), { recursive: true });
      plant(path);
    }
  });

  test("verbs end with words, and write to nothing outside", async () => {
    const traps = clone();
    await driveLooking(traps);
    for (const words of [
      ["run", "./batch.json", "--dry-run"],
      ["run", "./quiet.json"],
      ["add", "r", "./ticket.json"],
    ] as const)
      expect(await drive(traps, words[0], words.slice(1), traps.path("app"))).toEqual(HARMLESS);
    expect(readFileSync(traps.path("outside"), "utf8")).toBe("secret\n");
  });
});

const IN_GIT = [
  ...["config", "HEAD", "packed-refs", "index", "info/exclude", "info/attributes", "objects/info/alternates"],
  ...["refs/heads/main", "refs/heads/x/y", "info/grafts", "objects/pack/pack-1.idx", "ORIG_HEAD"],
];

describe.each([...IN_GIT.map((name) => `.git/${name}`), "included", "excluded", ".mailmap"])(
  "in a clone with a pipe as %s",
  (name) => {
    const clone = aClone((traps) => {
      const file = traps.path("app", name);
      rmSync(file, { force: true });
      mkdirSync(dirname(file), { recursive: true });
      execFileSync("mkfifo", [file]);
      if (name === "excluded") appendFileSync(traps.path("app/.git/config"), `[core]\n\texcludesFile = ${file}\n`);
    });

    test("verbs end with words", () => driveLooking(clone(), ["run", "init", "ci", "doctor", "bound", "lint"]));
  },
);
