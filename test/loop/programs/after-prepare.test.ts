import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nestedGitEvidence } from "../../../src/loop/programs/nested-git.ts";
import { findProtected, findShadows } from "../../../src/loop/programs/overwritten.ts";
import { changedFiles, differingFiles, onTheWayTo, protectedFiles } from "../../../src/loop/programs/protected-files.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const named = (name: string) => ({ isProtected: (path: string) => path.endsWith(name), isOnTheWay: () => false });
/** Nobody reads a file of this size within the time of a test. */
const HUGE = 2 ** 43;

async function write(path: string, text: string): Promise<void> {
  const file = join(folder(), path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
}

test("a file that has become huge differs, and is not read for that", async () => {
  await write("checkout/tests/a", "one");
  await write("checkout/tests/b", "two");
  await write("pristine/tests/a", "one");
  await write("pristine/tests/b", "two");
  const checkout = join(folder(), "checkout");
  const before = await protectedFiles(checkout, ["tests/**"]);
  await truncate(join(checkout, "tests", "a"), HUGE);
  expect(await changedFiles(checkout, before)).toEqual(["tests/a"]);
  expect(await differingFiles(checkout, join(folder(), "pristine"), ["tests/a", "tests/b"])).toEqual(["tests/a"]);
});

test("a file of the same size with another content differs", async () => {
  await write("checkout/a", "one");
  await write("pristine/a", "two");
  expect(await differingFiles(join(folder(), "checkout"), join(folder(), "pristine"), ["a"])).toEqual(["a"]);
});

test("a protected folder with thousands of new files counts as one that may be loaded from", async () => {
  await write("tests/old.js", "");
  for (let n = 0; n <= 2_000; n += 1) await writeFile(join(folder(), "tests", `${n}.txt`), "");
  expect(await findShadows(folder(), ["tests"], ["tests/old.js"])).toEqual(["tests"]);
});

test("new protected files are found, but for those of packages, of git and of the commit", async () => {
  for (const path of ["pytest.ini", "deep/in/it/pytest.ini", "known/pytest.ini", "node_modules/a/pytest.ini", ".venv/pytest.ini"])
    await write(path, "");
  await write(".git/pytest.ini", "");
  const { files, links } = await findProtected(folder(), named("pytest.ini"), ["known/pytest.ini"]);
  expect([files.toSorted(), links]).toEqual([["deep/in/it/pytest.ini", "pytest.ini"], []]);
});

test("a new link to a folder of packages, out of the checkout or in the place of a protected folder is found, no other one", async () => {
  await write("checkout/node_modules/x/nextest.toml", "");
  await write("checkout/own/a", "");
  await write("outside/a", "");
  const checkout = join(folder(), "checkout");
  const links = { ".config": "node_modules/x", away: "../outside", config: "own", own2: "own", file: "own/a", dangling: "none" };
  for (const [name, to] of Object.entries({ ...links, known: "node_modules/x" })) await symlink(to, join(checkout, name));
  const wanted = { ...named("nextest.toml"), isOnTheWay: onTheWayTo(["config/ci/*"]) };
  const found = await findProtected(checkout, wanted, ["known"]);
  expect([found.files, found.links.toSorted()]).toEqual([[], [".config", "away", "config"]]);
});

test("names that are not UTF-8 are looked into", async () => {
  const place = Buffer.concat([Buffer.from(join(folder(), "caf")), Buffer.from([0xe9])]);
  await mkdir(place);
  await writeFile(Buffer.concat([place, Buffer.from("/pytest.ini")]), "");
  const { files } = await findProtected(folder(), named("pytest.ini"), []);
  expect(files).toEqual(["caf\ufffd/pytest.ini"]);
});

test("a repository below the top of a checkout is found, whatever its name's case, and one at the top is not", async () => {
  const of = { step: "verify", name: "live" } as const;
  await write(".git/config", "");
  await write("src/.gitignore", "");
  expect(await nestedGitEvidence(folder(), "outside", of)).toBeUndefined();
  await write("deep/in/it/.GIT", "gitdir: /elsewhere");
  expect(await nestedGitEvidence(folder(), "outside the sandbox", of)).toMatchObject({
    ...of,
    summary: "deep/in/it is a repository inside the checkout, whose settings could run programs outside the sandbox",
  });
});
