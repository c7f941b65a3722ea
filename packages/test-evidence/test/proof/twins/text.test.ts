import { transformSync } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TwinnedFile } from "../../../src/proof/twin.ts";
import { findGoTests, findRustTests } from "../../../src/proof/twins/braces.ts";
import type { FindTests } from "../../../src/proof/twins/found-test.ts";
import { findJsTests } from "../../../src/proof/twins/js.ts";
import { findPythonTests } from "../../../src/proof/twins/python.ts";
import { SAMPLES } from "./samples.ts";
import { newLines, twinned } from "./twinned.ts";

/** A test of JavaScript that consists of one statement, within a file that has several ways to import assertions. */
const jsFile = (statement: string, test = "test") => `import { test, it } from "node:test";
import assert, { equal as alike, strictEqual } from "assert";
import { expect } from "chai"; import check from "power-assert";
const { deepStrictEqual: same } = require("node:assert");
${test}("gives a sum", async (t) => {
  const got = await add(1, 2);
  ${statement}
});
`;

/** The changed statements of many seeds. */
function changed(runner: string, text: string, isFirst = false): ReadonlySet<string> {
  const found = new Set<string>();
  for (let seed = 1; seed <= 40; seed += 1) {
    const lines = newLines(text, twinned(runner, text, { seed, isFirst }));
    for (const line of lines.filter((each) => !/^\s*(?:\w+\("|func|def|fn|}|$|#\[)/.test(each))) found.add(line.trim());
  }
  return found;
}

test("the first twin of a tree negates no assertion: one that always holds would fail then, as it must", () => {
  const [text, negated] = [jsFile("expect(got).toBe(3);"), "expect(got).not.toBe(3);"];
  expect([...changed("vitest", text)]).toContain(negated);
  expect([...changed("vitest", text, true)]).not.toContain(negated);
  expect(changed("vitest", text, true).size).toBeGreaterThan(0);
});

describe("the change of an assertion of JavaScript", () => {
  test.each([
    ["assert.equal(got, 3);", /^assert\.equal\(got, [^3]\);$/],
    ["assert.equal(got, 300, '3');", /^assert\.equal\(got, 30[1-5], '3'\);$/],
    [
      "assert.deepEqual([got, { 'a': -1 }], [3, { 'a': -1 }])",
      /^assert\.deepEqual\(\[got, \{ 'a': -\d \}\], \[\d, \{ 'a': -\d \}\]\)$/,
    ],
    ["alike(got, 'three');", /^alike\(got, '[a-z]{5}'\);$/],
    ['strictEqual(typeof got, "");', /^strictEqual\(typeof got, "[a-z]+"\);$/],
    ["same({ a: got }, { a: true });", /^same\(\{ a: got \}, \{ a: false \}\);$/],
    ["same(got, { ...three, a: 1 });", /^same\(got, \{ [a-z]+: \{ \.\.\.three, a: 1 \} \}\);$/],
    [
      "assert.strictEqual(got, want);",
      /^assert\.strictEqual\(got, \{ [a-z]+: want \}\);$|^assert\.notStrictEqual\(got, want\);$/,
    ],
    ["assert.strictEqual(got, isThree ? 3 : 4);", /^assert\.(?:strictEqual\(got, \{ [a-z]+: isThree|notStrictEqual)/],
    ["check(got === 3);", /^check\(!\(got === 3\)\);$/],
    ["assert(got === 3, 'no');", /^assert\(!\(got === 3\), 'no'\);$/],
    ["assert.ok(got);", /^assert\.ok\(!\(got\)\);$/],
    ["t.assert.ok(got);", /^t\.assert\.ok\(!\(got\)\);$/],
    ["t.is(got, 3);", /^t\.is\(got, [^3]\);$/],
    ["t.strictSame(got, [3]);", /^t\.strictSame\(got, \[[^3]\]\);$/],
    ["t.notOk(got);", /^t\.notOk\(!\(got\)\);$/],
    ["assert.notEqual(got, 4);", /^assert\.equal\(got, 4\);$/],
    ["assert.throws(() => got());", /^assert\.doesNotThrow\(\(\) => got\(\)\);$/],
    ["await assert.rejects(got);", /^await assert\.doesNotReject\(got\);$/],
    ["expect(got).to.equal(3);", /^expect\(got\)\.to\.(?:equal\([^3]\)|not\.equal\(3\));$/],
    ["expect(got).to.be.true;", /^expect\(got\)\.to\.be\.not\.true;$/],
    ["expect(got).not.to.be.undefined;", /^expect\(got\)\.to\.be\.undefined;$/],
    ["got.should.equal(3);", /^got\.should\.(?:equal\([^3]\)|not\.equal\(3\));$/],
    ["await expect(got).resolves.toBe(3);", /^await expect\(got\)\.resolves\.(?:toBe\([^3]\)|not\.toBe\(3\));$/],
    ["expect(got).toHaveLength(12);", /^expect\(got\)\.(?:toHaveLength\(1[01]\)|not\.toHaveLength\(12\));$/],
    ["expect(got).toContain('a');", /^expect\(got\)\.not\.toContain\('a'\);$/],
    ["expect(got).toBeCloseTo(0.3, 2);", /^expect\(got\)\.not\.toBeCloseTo\(0\.3, 2\);$/],
    ["return assert.equal(got, 3);", /^return assert\.equal\(got, [^3]\);$/],
  ])("%s", (statement, like) => {
    const found = [...changed("node:test", jsFile(statement))];
    expect(found).not.toEqual([]);
    for (const each of found) expect(each).toMatch(like);
  });

  test.each([
    ["log(got, 3);", "no assertion"],
    ["check.that(got).matches(3);", "a form that nobody knows"],
    ["if (got > 2) assert.equal(got, 3);", "within a condition"],
    ["for (const n of [got]) { assert.equal(n, 3); }", "within a loop"],
    ["try { assert.equal(got, 3); } catch { log(got); }", "within a try"],
    ["[got].forEach((n) => assert.equal(n, 3));", "within a callback"],
    ["if (got > 2) return; assert.equal(got, 3);", "behind a way out"],
    ["expect(got).resolves.toBe(3);", "a promise that nobody waits for"],
    ["assert.rejects(got);", "a promise that nobody waits for"],
    ["expect(got).toMatchSnapshot(); expect(got).toBe(3);", "with what is stored under its name"],
    ["t.plan(1); t.assert.equal(got, 3);", "with a count"],
    ["t.skip(); assert.equal(got, 3);", "that is skipped"],
    ["await t.test('part', () => assert.equal(got, 3)); assert.equal(got, 3);", "with tests in it"],
    ["expect(got).toBe(3", "that is no code"],
  ])("%s is left alone: %s", (statement) => {
    expect(twinned("node:test", jsFile(statement))).toBeUndefined();
  });

  test.each(["it.skip", "test.only", "it.todo", "xit", "fit", "it.fails", "describe", "before"])("%s is left alone", (name) => {
    expect(twinned("node:test", jsFile("assert.equal(got, 3);", name))).toBeUndefined();
  });

  test("a callback that says when it is done, or options that say more", () => {
    const text = (rest: string) => `it("adds", ${rest} { assert.equal(add(1, 2), 3); });\n`;
    expect(twinned("mocha", text("function ()"))?.twins).toHaveLength(1);
    expect(twinned("jest", text("() =>"))?.twins).toHaveLength(1);
    expect(twinned("mocha", text("function (done)"))).toBeUndefined();
    expect(twinned("jest", text("(done) =>"))).toBeUndefined();
    expect(twinned("node:test", text("(t, done) =>"))).toBeUndefined();
    expect(twinned("vitest", text("{ retry: 3 }, () =>"))).toBeUndefined();
    expect(twinned("vitest", text("{ timeout: 3 }, () =>"))?.twins).toHaveLength(1);
  });

  test("mocha's and tape's ways of writing", () => {
    const mocha = `describe('sums', function () {\n  context('of two', () => {\n    specify('adds', function () {\n      expect(add(1, 2)).to.eql(3)\n    }).timeout(100)\n  })\n})\n`;
    const tape = `const test = require('tape')\ntest('adds', (t) => {\n  t.equal(add(1, 2), 3, 'sum')\n  t.end()\n})\n`;
    expect(twinned("mocha", mocha)?.twins).toHaveLength(1);
    expect(twinned("tape", tape)?.twins).toHaveLength(1);
    const planned = tape.replace("  t.equal", "  t.plan(1)\n  t.equal");
    expect(twinned("tape", planned)).toBeUndefined();
  });
});

test("only tests that passed, at most as many as wanted, and none whose name ends another", () => {
  const text = ["adds", "never adds", "sorts", "joins"].map((name) => `it("${name}", () => { expect(x).toBe(3); });\n`).join("");
  expect(twinned("jest", text)?.twins.map(({ original }) => original)).toEqual(["never adds", "sorts", "joins"]);
  expect(twinned("jest", text, { most: 2 })?.twins).toHaveLength(2);
  expect(twinned("jest", text, { isPassing: (name) => name === "joins" })?.twins.map(({ original }) => original)).toEqual([
    "joins",
  ]);
  expect(twinned("jest", text, { isPassing: () => false })).toBeUndefined();
  expect(twinned("karma", text)).toBeUndefined();
});

test("either copy may come first and have the original's name", () => {
  const text = 'it("adds", () => { expect(x).toBe(3); });\n';
  const seen = new Set<string>();
  for (let seed = 0; seed < 60; seed += 1) {
    const file = twinned("jest", text, { seed });
    const first = /it\("([^"]*)"/.exec(file?.text ?? "")?.[1];
    seen.add(`${file?.twins[0]?.fails === "adds"} ${file?.twins[0]?.fails === first}`);
  }
  expect(seen.size).toBe(4);
});

describe("other languages", () => {
  test.each([
    ["assert f(1) == 3", /^assert f\(1\) == [^3]$|^assert not \(f\(1\) == 3\)$/],
    ["assert f(1) == [1, ('a', b)], 'no'", /^assert (?:f\(1\) == \[\d, \('[a-z]', b\)\]|not \(.*\)), 'no'$/],
    ["assert f(1) is None", /^assert not \(f\(1\) is None\)$/],
    ["self.assertEqual(f(1), True)", /^self\.assertEqual\(f\(1\), False\)$/],
    ["self.assertIn(1, x)", /^self\.assertNotIn\(1, x\)$/],
    ["assert_equal(f(1), want)", /^assert_equal\(f\(1\), \[want\]\)$/],
    ["assert_that(x).is_equal_to(3)", /^assert_that\(x\)\.is_equal_to\([^3]\)$/],
  ])("Python: %s", (statement, like) => {
    const found = [...changed("pytest", `def test_sum():\n    ${statement}\n`)];
    expect(found).not.toEqual([]);
    for (const each of found) expect(each).toMatch(like);
  });

  test.each([
    ["assert.Equal(t, 3, Add(1, 2))", /^assert\.Equal\(t, [^3], Add\(1, 2\)\)$/],
    ["require.True(t, ok)", /^require\.True\(t, !\(ok\)\)$/],
    ["assert.NoError(t, err)", /^assert\.Error\(t, err\)$/],
    ["assert.Equal(t, want, got)", /^assert\.NotEqual\(t, want, got\)$/],
  ])("Go: %s", (statement, like) => {
    const found = [...changed("go test", `package a\n\nfunc TestSum(t *testing.T) {\n\t${statement}\n}\n`)];
    expect(found).not.toEqual([]);
    for (const each of found) expect(each).toMatch(like);
  });

  test.each([
    ["pytest", "def test_a():\n    for x in y:\n        assert x == 1\n"],
    ["pytest", "@pytest.mark.skipif(True)\ndef test_a():\n    assert f() == 1\n"],
    ["pytest", "def test_a():\n    x = 'open\n    assert f() == 1\n"],
    ["pytest", "def helper():\n    assert f() == 1\n"],
    ["go test", 'package a\n\nfunc TestA(t *testing.T) {\n\tif got != 3 {\n\t\tt.Log("x")\n\t}\n}\n'],
    ["go test", "package a\n\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 3, `open)\n}\n"],
    ["cargo test", "#[test]\n#[ignore]\nfn a() {\n    assert_eq!(f(), 1);\n}\n"],
    ["cargo test", "#[test]\nfn a() {\n    if x { return; }\n    assert_eq!(f(), 1);\n}\n"],
    ["cargo test", "fn a() {\n    assert_eq!(f(), 1);\n}\n"],
  ])("%s leaves %j alone", (runner, text) => {
    expect(twinned(runner, text)).toBeUndefined();
  });
});

test("a hostile text takes no time", () => {
  for (const piece of [
    "it('a', () => { ok(1); });\n",
    "def test_a():\n    assert 1\n",
    "#[test]\nfn a() { assert!(1); }\n",
    "(",
    "'",
    "\\'",
    "/",
    "(/[",
    "`${",
    "/*",
    '"""',
    "r#",
    "if ",
    'it("',
    "@\n",
    "def ",
    "\n ",
    "#[",
    "a.",
    "!",
    "${`",
  ]) {
    const text = piece.repeat(Math.floor(80_000 / piece.length));
    for (const runner of ["jest", "pytest", "go test", "cargo test"]) {
      const start = process.cpuUsage();
      twinned(runner, text);
      expect(process.cpuUsage(start).user, `${runner} ${piece}`).toBeLessThan(1_000_000);
    }
  }
  expect(twinned("jest", " ".repeat(500_000))).toBeUndefined();
});

const FINDERS: Readonly<Record<string, FindTests>> = {
  "node:test": findJsTests("node:test"),
  vitest: findJsTests("vitest"),
  pytest: findPythonTests,
  "go test": findGoTests,
  "cargo test": findRustTests,
};

/** True if all text around the test that has a twin is as before, and what stands there instead has both names. */
function isKeptAround(runner: string, original: string, file: TwinnedFile): boolean {
  const [twin] = file.twins;
  const test = FINDERS[runner]?.(original)?.tests.find(({ name }) => name === twin?.original);
  if (twin === undefined || test === undefined) return false;
  const [before, after] = [original.slice(0, test.from), original.slice(test.to)];
  const copies = file.text.slice(before.length, file.text.length - after.length);
  const isKept = file.text.startsWith(before) && file.text.endsWith(after);
  return isKept && copies.includes(twin.fails) && copies.includes(twin.passes);
}

test("the text is as before, apart from the copies, and stays code", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SAMPLES),
      fc.nat(),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      ({ runner, text: unix }, seed, most, isWindows) => {
        const text = isWindows ? unix.replaceAll("\n", "\r\n") : unix;
        const file = twinned(runner, text, { seed, most });
        expect(file?.twins.length).toBe(most);
        if (file !== undefined && most === 1) expect(isKeptAround(runner, text, file)).toBe(true);
        if (isWindows) expect(file?.text).not.toMatch(/[^\r]\n/);
        if (/node|vitest/.test(runner)) transformSync(file?.text ?? "", { loader: "ts" });
        for (const { fails, passes, original } of file?.twins ?? []) expect([fails, passes]).toContain(original);
      },
    ),
    { numRuns: 200 },
  );
});
