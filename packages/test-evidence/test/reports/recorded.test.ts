import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseResults } from "../../src/reports/parse-results.ts";

/** The tests of a file that a runner of the version in its name wrote, by our reporter or its own option, in a folder below /tmp/p. */
function recorded(name: string, root: string) {
  const bytes = readFileSync(join(import.meta.dirname, "recorded", name));
  const reading = parseResults({ format: name.endsWith(".json") ? "jest" : "junit", bytes, roots: [root], notBefore: 0 });
  return reading.ok ? reading.tests.map(({ id, outcome }) => `${outcome} ${id}`) : reading.problem;
}

describe("what runners wrote", () => {
  test("RSpec, through our file", () => {
    const inA = "spec/a_spec.rb > Adder >";
    expect(recorded("rspec-3.12.json", "/tmp/p/rspec")).toEqual([
      ...[`passed ${inA} adds`, `skipped ${inA} later > is pending`, `skipped ${inA} later > is skipped`],
      ...[`failed ${inA} later > breaks`, `passed ${inA} later > is expected to be`],
      ...["passed spec/sub/b_spec.rb > Integer > is odd", "passed spec/sub/b_spec.rb > Integer > sees no results folder"],
      "passed spec/sub/b_spec.rb > Integer > #succ > is expected to eq 2",
    ]);
  });

  test("PHPUnit, with the option that our file adds", () => {
    const inA = "tests/ATest.php > tests > ATest >";
    expect(recorded("phpunit-9.6.7.xml", "/tmp/p/php")).toEqual([
      ...[`passed ${inA} testAdds`, `failed ${inA} testBreaks`, `skipped ${inA} testLater`],
      ...["one", "two"].map((row) => `passed ${inA} ATest::testRows > testRows with data set "${row}"`),
    ]);
  });

  test.each(["surefire-2.22.3.xml", "gradle-4.4.1.xml"])("%s", (name) => {
    const all = recorded(name, "/tmp/p");
    expect(all).toHaveLength(3);
    expect(all).toEqual(expect.arrayContaining(["passed a.ATest > adds", "failed a.ATest > breaks", "skipped a.ATest > later"]));
  });
});
