import { describe, expect, it } from "vitest";
import { calledScripts } from "../../src/compare/scripts.ts";
import { casesGone, mayHoldTests, testCasesIn } from "../../src/compare/test-cases.ts";

describe("testCasesIn", () => {
  it.each([
    [
      "a.test.ts",
      ["describe('x', () => {", "  it.only('one', async () => {", "test(", "  `two`,", "it.each([1])('three %s', () => {"],
    ],
    [
      "a.test.ts",
      ["test.each([", "  1,", "])('one', () => {});", "await t.test('two', () => {", "// test('none')", "Deno.test('three', f)"],
    ],
    ["test_a.py", ["def test_one():", "class TestX:", "    async def test_two(self):", "def helper():", "def test_three(x=1):"]],
    ["a_test.go", ["func Testone(t *testing.T) {", '  t.Run("two", func() {', "func help() {", "func Examplethree() {"]],
    [
      "src/a.rs",
      [
        "#[test]",
        "#[should_panic]",
        "fn one() {}",
        "#[tokio::test]",
        "async fn two() {}",
        "fn no() {}",
        "#[test] ",
        "pub fn three() {}",
      ],
    ],
    [
      "ATest.java",
      ["@Test", "@Tag(x)", "void one() {", "@ParameterizedTest", "void two(int a) {", "void no() {}", "@Test", "void three() {"],
    ],
    ["a_spec.rb", ["it 'one' do", "specify('two') do", "  def test_three"]],
    ["ATest.php", ["public function testone()", "it('two', f)", "#[Test]", "public function three()"]],
    ["a.bats", ["@test 'one' {", '@test "two" {', "x() {", "@test 'three' {"]],
  ])("finds three in %s", (path, lines) => {
    const names = testCasesIn(path, lines.join("\n")).map((name) => name.replace(/^(?:test_?|Test|Example)| %s$/g, ""));
    expect(names).toEqual(["one", "two", "three"]);
  });

  it("takes no time on a text that was written to cost time", () => {
    const text = `${"/*\n".repeat(200_000)}${"test(".repeat(100_000)}`;
    expect(testCasesIn("a.test.js", text)).toEqual([]);
  });
});

describe("casesGone", () => {
  it("counts tests of one name, and not where they are", () => {
    expect(casesGone(["a", "b", "b", "c"], ["c", "b", "a"])).toEqual(["b"]);
    expect(mayHoldTests("src/a.rs")).toBe(true);
    expect(mayHoldTests("src/a.ts")).toBe(false);
  });
});

describe("calledScripts", () => {
  it("follows scripts through workflows, hooks and other scripts", () => {
    const scripts = {
      test: "run-s unit e2e",
      unit: "x",
      e2e: "y",
      pretest: "npm run make",
      make: "z",
      ci: "yarn all",
      all: "q",
      start: "s",
    };
    const workflows = ["- run: |\n    npm ci && \\\n    npm run ci\n- run: echo start"];
    expect(calledScripts(JSON.stringify({ scripts }), workflows)).toEqual(
      expect.arrayContaining(["unit", "e2e", "make", "ci", "all", "test", "lint"]),
    );
    expect(calledScripts(JSON.stringify({ scripts }), workflows)).not.toContain("start");
    expect(calledScripts("no JSON", [])).toHaveLength(5);
  });
});
