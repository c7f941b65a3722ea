import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** Megabytes of the young generation once much was made and some of it kept, in a process that calls these first. */
function youngAfter(calls: string): number {
  const source = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { keepHeapSmall, makeRoomForFrames } from ${JSON.stringify(new URL("../../src/cli/small-heap.ts", import.meta.url).href)};
    ${calls}
    const kept = [];
    for (let turn = 0; turn < 150; turn += 1) {
      for (let n = 0; n < 20_000; n += 1) kept[n] = { n, text: "x" + n, more: [turn, n] };
      await new Promise((next) => setTimeout(next, 5));
    }
    console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space").space_size / 2 ** 20);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", source], {
    encoding: "utf8",
    env: {},
  });
  if (stdout === "") throw new Error(stderr);
  return Number(stdout);
}

test("the young generation of a dashboard grows for its frames, that of an engine not at all", () => {
  expect(youngAfter("keepHeapSmall();")).toBeLessThan(8);
  const framed = youngAfter("keepHeapSmall(); makeRoomForFrames();");
  expect(framed).toBeGreaterThanOrEqual(16);
  expect(framed).toBeLessThanOrEqual(32);
});
