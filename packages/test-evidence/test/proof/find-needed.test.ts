import fc from "fast-check";
import { expect, test } from "vitest";
import { findNeeded } from "../../src/proof/find-needed.ts";

/** Asks for the files that are needed, and counts the questions. */
async function ask(files: readonly string[], needed: readonly string[], most = 100) {
  let asked = 0;
  const found = await findNeeded(
    files,
    (some) => {
      asked += 1;
      return Promise.resolve(needed.every((file) => some.includes(file)));
    },
    most,
  );
  return { found: found.toSorted(), asked };
}

test("one file needs no question", async () => {
  expect(await ask(["a"], ["a"])).toEqual({ found: ["a"], asked: 0 });
});

test("exactly the needed files are found, each by halving", async () => {
  const input = fc
    .uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 40 })
    .chain((files) => fc.record({ files: fc.constant(files), needed: fc.subarray(files, { minLength: 1 }) }));
  await fc.assert(
    fc.asyncProperty(input, async ({ files, needed }) => {
      const { found, asked } = await ask(files, needed);
      expect(found).toEqual(needed.toSorted());
      expect(asked).toBeLessThanOrEqual(needed.length * (Math.ceil(Math.log2(files.length)) + 1));
    }),
  );
});

test("what could not be asked is named too", async () => {
  const input = fc
    .uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 40 })
    .chain((files) => fc.record({ files: fc.constant(files), needed: fc.subarray(files, { minLength: 1 }), most: fc.nat(8) }));
  await fc.assert(
    fc.asyncProperty(input, async ({ files, needed, most }) => {
      const { found, asked } = await ask(files, needed, most);
      expect(found).toEqual(expect.arrayContaining([...needed]));
      expect(asked).toBeLessThanOrEqual(most);
    }),
  );
});
