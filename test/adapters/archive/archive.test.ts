import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readArchive } from "../../../src/adapters/archive/read-archive.ts";
import { type ArchiveEntry, writeArchive } from "../../../src/adapters/archive/write-archive.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const at = new Date(1_700_000_000_000);
const sumOf = (text: string) => ({ bytes: Buffer.byteLength(text), sha256: hash("sha256", text) });
const tar = (...args: string[]): string => execFileSync("tar", args, { cwd: folder(), encoding: "utf8" });

function aFile(name: string, text: string): ArchiveEntry {
  const file = join(folder(), name);
  writeFileSync(file, text);
  return { name: `run/${name}`, file, sum: sumOf(text) };
}

describe("an archive", () => {
  test("is unpacked by tar with the same bytes, long names and empty files too, and is read without being unpacked", async () => {
    const long = `run/tickets/${"T".repeat(64)}/attempt-1/outbox/discovered/${"n".repeat(120)}.json`;
    const big = "x".repeat(3_000_000);
    const entries = [{ name: "run/a.txt", text: "é\n" }, { name: long, text: "long" }, aFile("empty", ""), aFile("big", big)];
    const to = join(folder(), "run.tar.gz");
    expect(await writeArchive(to, entries, at)).toEqual([]);
    expect(statSync(to).mode & 0o777).toBe(0o600);
    mkdirSync(join(folder(), "out"));
    tar("xzf", "run.tar.gz", "-C", "out");
    const read = (name: string) => readFileSync(join(folder(), "out", name), "utf8");
    expect([read("run/a.txt"), read(long), read("run/empty"), read("run/big") === big]).toEqual(["é\n", "long", "", true]);
    expect(tar("tvzf", "run.tar.gz")).not.toMatch(/^[^-]/m);
    const { sums, texts, problems } = await readArchive(to, (path) => path === "a.txt");
    expect(problems).toEqual([]);
    expect(Object.fromEntries(texts)).toEqual({ "a.txt": "é\n" });
    expect(sums.get("big")).toEqual({ ok: true, ...sumOf(big) });
    expect(sums.get(long.slice(4))).toEqual({ ok: true, ...sumOf("long") });
  });

  test("takes no file that is missing, has changed, or is a link", async () => {
    const changed = aFile("changed", "before");
    const linked = aFile("linked", "x");
    writeFileSync(join(folder(), "changed"), "behind");
    writeFileSync(join(folder(), "secret"), "x");
    execFileSync("rm", [join(folder(), "linked")]);
    symlinkSync("secret", join(folder(), "linked"));
    const missing = { name: "run/missing", file: join(folder(), "missing"), sum: sumOf("") };
    const to = join(folder(), "run.tar.gz");
    expect(await writeArchive(to, [changed, linked, missing, { name: "run/a", text: "a" }], at)).toEqual([
      { name: "run/changed", why: "it was changed since it was listed" },
      { name: "run/linked", why: "it is a link" },
      { name: "run/missing", why: "it is missing" },
    ]);
    expect([...(await readArchive(to, () => false)).sums.keys()]).toEqual(["a"]);
  });

  test("overwrites nothing", async () => {
    const to = aFile("run.tar.gz", "mine");
    await expect(writeArchive(join(folder(), "run.tar.gz"), [to], at)).rejects.toThrow("EEXIST");
    expect(readFileSync(join(folder(), "run.tar.gz"), "utf8")).toBe("mine");
  });
});

describe("an archive that somebody else made", () => {
  const made = (...args: string[]) => {
    tar("czPf", "made.tar.gz", ...args);
    return readArchive(join(folder(), "made.tar.gz"), () => false);
  };

  test("is read if tar packs an unpacked one again", async () => {
    mkdirSync(join(folder(), "run/tickets"), { recursive: true });
    writeFileSync(join(folder(), "run/tickets/a"), "a");
    const { problems, sums } = await made("run");
    expect([problems, [...sums.keys()]]).toEqual([[], ["tickets/a"]]);
  });

  test("with a link, a path that leads out, or a second folder is told, and nothing of that is read", async () => {
    mkdirSync(join(folder(), "run"));
    writeFileSync(join(folder(), "run/a"), "a");
    writeFileSync(join(folder(), "b"), "b");
    symlinkSync("/etc/passwd", join(folder(), "run/link"));
    expect(await made("run")).toMatchObject({ problems: ["link is no plain file: symlink"] });
    const { problems, sums } = await made("run/a", "run/../b", join(folder(), "b"));
    expect(problems).toHaveLength(2);
    expect([...sums.keys()]).toEqual(["a"]);
  });

  test("whose texts are too long together keeps what fits, and tells the others", async () => {
    const to = join(folder(), "run.tar.gz");
    await writeArchive(
      to,
      ["a", "b", "c"].map((name) => ({ name: `run/${name}`, text: name.repeat(4) })),
      at,
    );
    const { problems, sums, texts } = await readArchive(to, () => true, 9);
    expect([[...texts.keys()], [...sums.keys()]]).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    expect(problems).toEqual(["c is longer than the 1 bytes that are left for texts"]);
  });

  test("that is cut off, damaged or none at all is told", async () => {
    await writeArchive(join(folder(), "run.tar.gz"), [aFile("big", "x".repeat(100_000))], at);
    const { size } = statSync(join(folder(), "run.tar.gz"));
    truncateSync(join(folder(), "run.tar.gz"), size - 20);
    expect((await readArchive(join(folder(), "run.tar.gz"), () => false)).problems).toHaveLength(1);
    writeFileSync(join(folder(), "none"), "no archive");
    expect((await readArchive(join(folder(), "none"), () => false)).problems).toHaveLength(1);
  });
});
