import { afterAll, expect, test } from "vitest";
import { holedBuild, removeHoledBuilds } from "./holed-build.ts";

afterAll(removeHoledBuilds);

test("a hole in a file that is only types is refused, because it would have no effect", async () => {
  const hole = { in: "Clock", from: "now(): number;", to: "now(): bigint;" };
  await expect(holedBuild([hole])).rejects.toThrow("src/ports/clock.ts is not in the build");
});
