import { describe, expect, test } from "vitest";
import type { Hunk } from "../../src/compare/hunk.ts";
import { suppressionsIn } from "../../src/compare/suppressions.ts";

function hunk(path: string, added: string | readonly string[], removed: string | readonly string[] = []): Hunk {
  return { path, line: 10, added: [added].flat(), removed: [removed].flat() };
}

function texts(...hunks: Hunk[]): string[] {
  return suppressionsIn(hunks).map(({ text }) => text);
}

describe("an added marker is found", () => {
  test.for([
    ["src/a.ts", "// eslint-disable-next-line no-eval"],
    ["src/a.js", "/* eslint-disable */"],
    ["src/a.js", " eslint-disable no-eval"],
    ["src/a.ts", "foo(); // eslint-disable-line"],
    ["src/a.ts", "//@ts-ignore"],
    ["src/a.tsx", "{/* @ts-expect-error wrong props */}"],
    ["src/a.mts", "// @ts-nocheck"],
    ["src/a.ts", "/\0/\0 \0@\0t\0s\0-\0i\0g\0n\0o\0r\0e\0"],
    ["src/a.ts", "// biome-ignore lint/style/x: why"],
    ["src/a.vue", "<!-- eslint-disable vue/x -->"],
    ["src/a.js", "/* istanbul ignore next */"],
    ["src/a.js", "/* v8 ignore start */"],
    ["test/a.test.ts", "it.skip('adds', () => {"],
    ["test/a.test.ts", "  describe.only(`suite`, () => {"],
    ["test/a.test.ts", "test.concurrent.only('x', f)"],
    ["test/a.test.ts", "it['skip']('x', f)"],
    ["test/a.test.ts", "it . skip ('x')"],
    ["test/a.test.ts", "test.skipIf(true)('x', f)"],
    ["test/a.test.ts", "xit('x', f)"],
    ["test/a.test.ts", "fdescribe('x', f)"],
    ["test/a.test.ts", "  .only('x', f)"],
    ["test/a.test.ts", "test('x', { skip: true }, f)"],
    ["test/a.test.ts", "t.skip('later')"],
    ["a.py", "import x  # noqa: F401"],
    ["a.py", "x = 1 # NOQA"],
    ["a.py", "x: int = 'a'  # type: ignore[assignment]"],
    ["a.py", "# pylint: disable=all"],
    ["a.py", "# pyright: ignore"],
    ["a.py", "# mypy: ignore-errors"],
    ["a.py", "if x:  # pragma: no cover"],
    ["a.py", "# nosec"],
    ["test_a.py", "@pytest.mark.skip(reason='x')"],
    ["test_a.py", "@pytest.mark.xfail"],
    ["test_a.py", "@unittest.skip('Pre-existing…')"],
    ["test_a.py", "    self.skipTest('x')"],
    ["test_a.py", "    pytest.skip('x')"],
    ["a.go", "x() //nolint:errcheck"],
    ["a.go", "//lint:ignore SA1000 why"],
    ["a_test.go", '\tt.Skip("later")'],
    ["a.rs", "#[allow(dead_code)]"],
    ["a.rs", "#![allow(warnings)]"],
    ["a.rs", "#[cfg_attr(test, allow(unused))]"],
    ["a.rs", "#[ignore]"],
    ["A.java", '@SuppressWarnings("unchecked")'],
    ["ATest.java", '@Disabled("flaky")'],
    ["A.kt", '@Suppress("X")'],
    ["A.cs", "#pragma warning disable CS0168"],
    ["a.rb", "# rubocop:disable all"],
    ["spec/a_spec.rb", "  xit 'works' do"],
    ["a.php", "// phpcs:ignore"],
    ["a.cc", "x(); // NOLINT"],
    ["a.swift", "// swiftlint:disable all"],
    ["a.exs", "@tag :skip"],
    ["a.sh", "# shellcheck disable=SC2086"],
    ["a.dart", "// ignore: unused"],
  ] as const)("%s: %s", ([path, line]) => {
    expect(suppressionsIn([hunk(path, line)])).toMatchObject([{ path, line: 10 }]);
  });
});

describe("what only looks like one is not", () => {
  test.for([
    ["README.md", "Use `// eslint-disable` with care."],
    ["docs/a.txt", "@ts-ignore"],
    ["data.json", '"it.skip("'],
    ["src/a.ts", "rows.skip(10).only(3)"],
    ["src/a.ts", "prisma.find({ skip: 10, take: 5 })"],
    ["src/a.ts", "  .skip(offset)"],
    ["src/a.ts", "model.fit(x, y)"],
    ["src/a.ts", "const unit = exit('now');"],
    ["src/a.ts", "submit.only = true;"],
    ["a.py", "# ignore the rest"],
    ["a.py", "skip = True"],
    ["a.rs", "// allow(this)"],
    ["a.go", "reader.Skip(3)"],
    ["test/a.test.ts", "it('skips what is skipped', () => {"],
    ["test/a.test.ts", "test.todo('later')"],
    ["test/a.test.ts", "test.each([1])('x', f)"],
  ] as const)("%s: %s", ([path, line]) => {
    expect(suppressionsIn([hunk(path, line)])).toEqual([]);
  });
});

describe("only what is new counts", () => {
  test("a removed marker, and none added", () => {
    expect(texts(hunk("a.ts", "foo();", ["// @ts-ignore", "foo();"]))).toEqual([]);
  });

  test("a line that is changed and keeps its marker", () => {
    expect(texts(hunk("a.py", "y = f(2)  # noqa: E501", "x = f(1)  # noqa: E501"))).toEqual([]);
    expect(texts(hunk("a.ts", "it.skip('new name', () => {", "it.skip('old name', () => {"))).toEqual([]);
  });

  test("a marker that covers more than before", () => {
    expect(texts(hunk("a.py", "y = f(2)  # noqa", "x = f(1)  # noqa: E501"))).toHaveLength(1);
    expect(texts(hunk("a.py", ["a() # noqa", "b() # noqa"], "c() # noqa"))).toHaveLength(1);
  });

  test("code that moves with its marker to another file", () => {
    const moved = ["// eslint-disable-next-line no-eval", "eval(code);"];
    expect(texts(hunk("old.ts", [], moved), hunk("new.ts", ["  // eslint-disable-next-line no-eval", "  eval(code);"]))).toEqual(
      [],
    );
  });

  test("a marker that moves on to other code", () => {
    const before = hunk("old.ts", [], ["// @ts-ignore", "harmless();"]);
    expect(texts(before, hunk("new.ts", ["// @ts-ignore", "wrong();"]))).toEqual(["// @ts-ignore"]);
    // One removed marker excuses one, and not once in its own hunk and once elsewhere.
    const kept = hunk("old.ts", ["// @ts-ignore", "harmless();"], ["// @ts-ignore", "harmless();"]);
    expect(texts(kept, hunk("new.ts", ["// @ts-ignore", "harmless();"]))).toHaveLength(1);
  });
});

describe("demands on coverage", () => {
  test.for([
    ["vitest.config.ts", "      lines: 60,", "      lines: 90,", ["lines 90 → 60"]],
    ["package.json", '"branches": 79.9', '"branches": 80', ["branches 80 → 79.9"]],
    ["package.json", '"test": "c8 --lines 50"', '"test": "c8 --lines 80"', ["lines 80 → 50"]],
    ["pyproject.toml", "fail_under = 10", "fail_under = 85", ["fail_under 85 → 10"]],
    ["tox.ini", "pytest --cov-fail-under=0", "pytest --cov-fail-under=80", ["cov-fail-under 80 → 0"]],
    ["pom.xml", "<minimum>0.10</minimum>", "<minimum>0.80</minimum>", ["minimum 0.8 → 0.1"]],
    ["codecov.yml", "target: 10%", "target: 80%", ["target 80 → 10"]],
    [".nycrc.json", "", '"functions": 100', ["functions 100 → nothing"]],
    ["vitest.config.ts", "// lines: 90,", "lines: 90,", ["lines 90 → nothing"]],
    [".simplecov", "minimum_coverage 80", "minimum_coverage 90", ["minimum_coverage 90 → 80"]],
    [".simplecov", "minimum_coverage_by_file 80", "minimum_coverage_by_file 90", ["minimum_coverage_by_file 90 → 80"]],
    ["build.gradle", "minimum = 0.51", "minimum = 0.55", ["minimum 0.55 → 0.51"]],
    ["build.gradle.kts", "minimum = 0.1", "minimum = 0.2", ["minimum 0.2 → 0.1"]],
    ["codecov.yml/package.json", '"target": 10', '"target": 20', []],
    ["pom.xml/package.json", '"minimum": 10', '"minimum": 20', []],
    ["vitest.config.ts", "lines: 95,", "lines: 90,", []],
    ["vitest.config.ts", "lines: 90, // all of them", "lines: 90,", []],
    ["src/a.ts", "lines: 1,", "lines: 2,", []],
    ["package.json", '"target": 10', '"target": 20', []],
  ] as const)("%s: %s for %s", ([path, added, removed, expected]) => {
    expect(texts(hunk(path, added, removed))).toEqual(expected);
  });

  test("that move to another file as they are lower nothing", () => {
    expect(texts(hunk("jest.config.js", [], "lines: 90,"), hunk("jest.config.ts", "lines: 90,"))).toEqual([]);
  });
});

test("a million characters of near misses take no time", () => {
  const lines = [
    "it".padEnd(200_000, ".a"),
    "#[cfg_attr(".repeat(20_000),
    "[{,".repeat(80_000),
    `@Test(${" ".repeat(200_000)}`,
    "lines ".repeat(50_000),
  ];
  const began = performance.now();
  for (const path of ["a.test.ts", "a.rs", "ATest.java", "package.json", "a.py", "a.cs"]) suppressionsIn([hunk(path, lines)]);
  expect(performance.now() - began).toBeLessThan(15_000);
});
