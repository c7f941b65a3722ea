import { writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identityOfOutside } from "../../../src/adapters/prepared-trees/outside-identity.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const read = (most?: number) => identityOfOutside({ programs: [], paths: [folder()], env: {} }, most);
const identity = async () => (await read()).identity;

test("a folder outside has another identity if a file deep in it is written, added or removed", async () => {
  const deep = join(folder(), "a", "b");
  await mkdir(deep, { recursive: true });
  await writeFile(join(deep, "file"), "1");
  const before = await identity();
  expect(await identity()).toBe(before);
  await writeFile(join(deep, "file"), "22");
  const written = await identity();
  await writeFile(join(deep, "another"), "1");
  expect(new Set([before, written, await identity()]).size).toBe(3);
});

test("it has another identity if a file changes beside or below a name that is not UTF-8", async () => {
  const named = Buffer.concat([Buffer.from(join(folder(), "caf")), Buffer.from([0xe9])]);
  await mkdir(named);
  await writeFile(join(folder(), "beside"), "1");
  const before = await identity();
  await writeFile(join(folder(), "beside"), "22");
  const beside = await identity();
  await writeFile(Buffer.concat([named, Buffer.from("/below")]), "1");
  expect(new Set([before, beside, await identity()]).size).toBe(3);
});

test("it has another identity if one of more than ten thousand files changes", async () => {
  for (let i = 0; i <= 10_000; i++) writeFileSync(join(folder(), `${i}`), "");
  const before = await identity();
  await writeFile(join(folder(), "5000"), "changed");
  expect(await identity()).not.toBe(before);
});

test("what has too many files to read says that a change may stay unseen", async () => {
  for (const name of ["a", "b", "c"]) await writeFile(join(folder(), name), "");
  expect(await read(3)).not.toHaveProperty("problem", expect.anything());
  const problem = `${folder()} holds more than 2 files, too many to see whether one has changed`;
  expect(await read(2)).toMatchObject({ problem });
});
