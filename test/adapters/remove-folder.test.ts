import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeFolder } from "../../src/adapters/remove-folder.ts";

let root = "";
let folder = "";

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-remove-")));
  folder = join(root, "folder");
  mkdirSync(folder);
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const NEST = 'for (let i = 0; i < 40; i++) { fs.mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); }';

const sh = (script: string) => execFileSync("sh", ["-c", script], { cwd: folder });

test.each([
  ["a few files", "touch a b; mkdir -p c/d; touch c/d/e"],
  ["many files in one folder", "seq 12000 | xargs touch"],
  ["folders beyond the length of a path", `"${process.execPath}" -e '${NEST}'`],
  ["folders without rights", "mkdir -p a/b/c; touch a/b/c/d; chmod 000 a/b/c a/b a"],
  ["both", `mkdir a; cd a; "${process.execPath}" -e '${NEST} fs.mkdirSync("x"); fs.chmodSync("x", 0)'; chmod 500 ../a`],
  ["pipes, sockets' names and odd bytes", `mkfifo pipe; touch -- -rf "$(printf 'a\\377b')"; ln -s / link`],
])("removes %s", async (_, script) => {
  sh(script);
  await removeFolder(folder);
  expect(readdirSync(root)).toEqual([]);
});

test.each([0, 12_000])("removes links and not what they lead to, with %d files beside them", async (count) => {
  const theirs = join(root, "theirs");
  mkdirSync(theirs);
  writeFileSync(join(theirs, "kept"), "");
  symlinkSync(theirs, join(folder, "link"));
  if (count > 0) sh(`seq ${count} | xargs touch`);
  await removeFolder(folder);
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(theirs)).toEqual(["kept"]);
  symlinkSync(theirs, folder);
  await removeFolder(folder);
  expect(readdirSync(root)).toEqual(["theirs"]);
  expect(readdirSync(theirs)).toEqual(["kept"]);
});

test("nothing there is fine, and a file is removed", async () => {
  await removeFolder(join(root, "absent"));
  writeFileSync(join(root, "file"), "");
  await removeFolder(join(root, "file"));
  expect(readdirSync(root)).toEqual(["folder"]);
});
