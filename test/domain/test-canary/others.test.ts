import { describe, expect, test } from "vitest";
import { cargoTest } from "../../../src/domain/test-canary/cargo-test.ts";
import { goTest } from "../../../src/domain/test-canary/go-test.ts";
import { pytest } from "../../../src/domain/test-canary/pytest.ts";
import { names, plant } from "./planting.ts";

describe("pytest", () => {
  test("functions", () => {
    const text =
      "import pytest\nfrom calc import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n\n\n@pytest.mark.slow\ndef test_slow():\n    with pytest.raises(ValueError):\n        add()";
    const { appended, fresh } = plant(pytest, "tests/test_calc.py", text);
    expect(appended?.text.slice(text.length)).toMatch(/^\n\n\ndef test_\w+_\w+_\w+\(\):\n {4}\S/);
    expect(appended?.text).toContain("with pytest.raises(ZeroDivisionError):\n        assert");
    expect(names(appended, "fails")).toHaveLength(2);
    expect(names(appended, "known")).toEqual(["test_adds"]);
    expect(fresh?.path).toMatch(/^tests\/test_\w+_\w+_\w+\.py$/);
    expect(fresh?.text.startsWith("import pytest\nfrom calc import add\n\n\ndef test_")).toBe(true);
  });

  test("methods of a class of unittest", () => {
    const text =
      "from unittest import TestCase\n\nclass AddTest(TestCase):\n  def test_adds(self):\n    self.assertEqual(1, 1)\n";
    const { appended } = plant(pytest, "calc_test.py", text);
    expect(appended?.text).toMatch(
      /\nclass Test\w+\(TestCase\):\n {2}def test_\w+\(self\):\n {4}self\.assertEqual\((\d+), \1\)\n\n {2}def /,
    );
  });
});

describe("go test", () => {
  const TEXT =
    'package calc\n\nimport (\n\t"testing"\n\n\t"github.com/stretchr/testify/assert"\n)\n\nfunc TestAdds(t *testing.T) {\n\tassert.Equal(t, 3, Add(1, 2))\n}\n';

  test("functions, with the assertions of the file and without", () => {
    const { appended, fresh } = plant(goTest, "calc/calc_test.go", TEXT);
    expect(appended?.text).toMatch(/\nfunc Test\w+\(t \*testing\.T\) \{\n\tassert\.Equal\(t, (\d+), \1\)\n\}\n/);
    expect(appended?.text).toMatch(/\tif got := \d+; got != \d+ \{\n\t\tt\.Errorf\(/);
    expect(names(appended, "known")).toEqual(["TestAdds"]);
    expect(appended?.text).toContain("func TestAdds(t *testing.T) {\n\tif got :=");
    expect(fresh?.path).toMatch(/^calc\/\w+_\w+_\w+_test\.go$/);
    expect(fresh?.text.startsWith('package calc\n\nimport "testing"\n\nfunc Test')).toBe(true);
  });

  test("what does not import testing gets none", () => {
    expect(plant(goTest, "a_test.go", "package a\n").appended).toBeUndefined();
  });
});

describe("cargo test", () => {
  const UNIT =
    "pub fn add(a: i32, b: i32) -> i32 { a + b }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n}\n";

  test("a module of its own at the end of a source", () => {
    const { appended, fresh } = plant(cargoTest, "src/lib.rs", UNIT);
    expect(appended?.text).toMatch(
      /\n#\[cfg\(test\)\]\nmod \w+ \{\n {4}#\[test\]\n {4}fn \w+_\w+\(\) \{\n {8}assert_eq!\((\d+), \1\);/,
    );
    expect(appended?.text).toMatch(/ {4}fn adds\(\) \{\n {8}assert_eq!\(\d+, \d+\);\n {8}assert_eq!\(add/);
    expect(names(appended, "known")).toEqual(["adds"]);
    expect(fresh).toBeUndefined();
  });

  test("functions at the end of a file of tests, and a fresh one beside it", () => {
    const text = "use calc::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n";
    const { appended, fresh } = plant(cargoTest, "tests/add.rs", text, "one");
    expect(appended?.text.slice(text.length)).toMatch(/^\n#\[test\]\nfn \w+\(\) \{/);
    expect(appended?.tests.map(({ role }) => role)).toEqual(["passes", "fails"]);
    expect(fresh?.text.startsWith("use calc::add;\n\n#[test]\n")).toBe(true);
    expect(plant(cargoTest, "src/main.rs", "fn main() {}\n").appended).toBeUndefined();
  });
});
