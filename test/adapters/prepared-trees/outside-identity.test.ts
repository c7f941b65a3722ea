import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identityOfOutside } from "../../../src/adapters/prepared-trees/outside-identity.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const identity = () => identityOfOutside({ programs: [], paths: [folder()], env: {} });

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
