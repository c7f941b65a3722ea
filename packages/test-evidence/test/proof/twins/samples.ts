/** A package with tests in many styles, for a real run of its runner. `copies` are the tests that a twin can be made of. */
export interface Sample {
  readonly runner: string;
  /** The test file that gets twins. */
  readonly path: string;
  readonly text: string;
  readonly others: Readonly<Record<string, string>>;
  readonly copies: number;
}

const SUM = "export const add = (a, b) => a + b;\nexport const fail = () => {\n  throw new TypeError('no');\n};\n";

const NODE: Sample = {
  runner: "node:test",
  path: "test/sum.test.mjs",
  copies: 9,
  others: { "sum.mjs": SUM },
  text: `import test, { describe, it as spec } from "node:test"; import assert, { deepEqual as alike, ok } from "node:assert/strict";
import * as all from "node:assert";
import { add, fail } from "../sum.mjs";

test("adds two numbers", () => {
  assert.equal(add(1, 2), 3, "a sum");
});
describe("sums", () => {
  const three = add(1, 2);
  spec("are a value", () => assert.strictEqual(three, 3));
  spec("are listed", async () => {
    await Promise.resolve();
    alike([three, { a: \`x\` }], [3, { a: "x" }]);
  })
  spec("hold", function () { ok(three === 3); });
  spec("reject", () => assert.rejects(async () => fail(), /no/));
  spec("throw", () => {
    assert.throws(() => fail(), { name: "TypeError" });
  });
  spec("are not others", () => all.notEqual(three, 4));
  spec("are as expected", { timeout: 10_000 }, () => {
    const want = \`\${three}}\`;
    all.equal("3}", want);
  });
  spec("are matched", (t) => { t.assert.match(String(three), /[3/]/); });
  spec("are looped", () => { for (const n of [3]) assert.equal(three, n); });
  spec("leave", () => { if (three > 2) return; assert.equal(three, 1); });
  spec.skip("are skipped", () => assert.equal(three, 4));
  spec("are to do", { todo: true }, () => assert.equal(three, 4));
  spec("are counted", (t) => { t.plan(1); t.assert.equal(three, 3); });
});
`,
};

const VITEST: Sample = {
  runner: "vitest",
  path: "sum.test.ts",
  copies: 9,
  others: { "sum.ts": SUM.replace("(a, b)", "(a: number, b: number)") },
  text: `import { describe as group, expect, expect as hope, it, test, vi } from "vitest";
import { add, fail } from "./sum.ts";

test("adds", () => { expect(add(1, 2)).toBe(3); });
group("sums", () => {
  it("are listed", () => {
    hope([add(1, 2), "x"]).toEqual([3, "x"]);
  });
  it("throw", () => {
    expect(() => fail()).toThrow("no");
  });
  it("wait", async () => {
    await expect(Promise.resolve(3)).resolves.toBe(3);
  });
  it("are lists of a length", ({ task }) => {
    expect(task.name).not.toBe("x");
  });
  it("are there", () => expect(add(1, 2)).toBeTruthy());
  it("are as expected", () => {
    const want = { a: add(1, 2) };
    expect({ a: 3, b: 4 }).toMatchObject(want);
  });
  it("are called", () => {
    const called = vi.fn();
    called(3);
    expect(called).toHaveBeenCalledWith(3);
  }, 10_000);
  it.concurrent("hold a member", async () => expect([3]).toContain(3));
  it("are forgotten", () => { expect(Promise.resolve(3)).resolves.toBe(3); });
  it("are stored", () => { expect(3).toMatchInlineSnapshot("3"); });
  it.each([3])("are %i", (n) => { expect(n).toBe(3); });
});
`,
};

const PYTEST: Sample = {
  runner: "pytest",
  path: "test_sum.py",
  copies: 10,
  others: { "sums.py": "def add(a, b):\n    return a + b\n" },
  text: `import unittest
import pytest
from sums import add

def test_adds():
    """It's a sum."""
    total = add(1, 2)  # don't
    assert total == 3, "a sum"


@pytest.mark.parametrize("a,b", [(1, 2), (2, 1)])
def test_in_any_order(a, b):
    assert add(a, b) == 3

@pytest.fixture
def three():
    return add(1, 2)

def test_of_a_fixture(three):
    assert {"a": [three, 'x']} == {
        "a": [3, "x"],
    }

def test_raises():
    with pytest.raises(TypeError):
        add(1, "x")

def test_is_a_member():
    assert 3 in [add(1, 2)]
    for x in (1,):
        assert x == 1

class TestSums:
    def test_method(self):
        assert not add(0, 0)

class SumCase(unittest.TestCase):
    def setUp(self):
        self.one = 1

    def testEqual(self):
        self.assertEqual(add(1, self.one), 2)

    def test_true(self):
        self.assertTrue(
            add(1, 1) == 2,
        )

    def test_expected(self):
        want = [2]
        self.assertListEqual([add(1, 1)], want)

    def test_none(self):
        self.assertIsNone(None)

    @unittest.skip("no")
    def test_skipped(self):
        self.assertEqual(1, 2)

def test_leaves():
    if add(1, 2) == 3:
        return
    assert add(1, 2) == 4

@pytest.mark.xfail
def test_fails():
    assert add(1, 2) == 4
`,
};

const GO: Sample = {
  runner: "go test",
  path: "sum_test.go",
  copies: 7,
  others: {
    "go.mod": "module sums\n\ngo 1.19\n",
    "sum.go": `package sums

import "errors"

func Add(a, b uint8) uint8 { return a + b }

func Div(a, b int) (int, error) {
	if b == 0 {
		return 0, errors.New("division by zero")
	}
	return a / b, nil
}
`,
  },
  text: `package sums

import (
	"reflect"
	"testing"
)

func equal(t *testing.T, got, want interface{}) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAdd(t *testing.T) {
	got := Add(100, 155)
	if got != 255 {
		t.Errorf("got %d, want %d", got, 255)
	}
}

// The result is in the condition.
func TestInit(t *testing.T) {
	t.Parallel()
	if got := Add(1, 2); got != 3 {
		t.Fatalf("got %d", got)
	}
}

func TestDeep(tt *testing.T) {
	want := []uint8{3}
	if !reflect.DeepEqual([]uint8{Add(1, 2)}, want) {
		tt.Fatal("not equal")
	}
}

func TestErr(t *testing.T) {
	_, err := Div(1, 0)
	if err == nil {
		t.Fatal("no error")
	}
	if err.Error() != "division by zero" {
		t.Error(err)
	}
}

func TestRune(t *testing.T) {
	if r := []rune("a'}")[0]; r != 'a' {
		t.Fail()
	}
}

func TestHelper(t *testing.T) { equal(t, Add(2, 2) == 4, true) }

func Test_or(t *testing.T) {
	if got := Add(1, 2); got != 3 || got > 4 {
		t.Error(got)
	}
}

func TestTable(t *testing.T) {
	for _, c := range []struct{ a, b, want uint8 }{{1, 2, 3}, {2, 2, 4}} {
		if got := Add(c.a, c.b); got != c.want {
			t.Error(got)
		}
	}
}

func TestSkipped(t *testing.T) {
	t.Skip()
	if Add(1, 2) != 3 {
		t.Fail()
	}
}
`,
};

const CARGO: Sample = {
  runner: "cargo test",
  path: "src/lib.rs",
  copies: 7,
  others: { "Cargo.toml": '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n' },
  text: `#![allow(dead_code)]
pub fn add(a: u8, b: u8) -> u8 { a + b }
fn first<'a>(words: &'a str) -> Option<&'a str> { words.split(' ').next() }

#[test]
fn adds() { assert_eq!(add(100, 155), 255); }

#[cfg(test)]
mod tests {
    use super::*;

    /// It's a sum.
    #[test]
    #[allow(clippy::all)]
    fn test_of_lists() -> Result<(), String> {
        let sums = vec![add(1, 1)];
        assert_eq!(sums, vec![2], "sums of {}", 1);
        Ok(())
    }

    #[test]
    fn finds_words() {
        let c = '"';
        assert_eq!(first("it's {"), Some("it's"));
        assert_ne!(c, '\\'');
    }

    #[test]
    fn holds() {
        assert!(add(1, 1) == 2, "not {}", 2);
    }

    #[test]
    fn is_as_expected() {
        let want = add(2, 0);
        assert_eq!(add(1, 1), want);
    }

    #[test]
    fn differs() {
        assert_ne!(add(1, 1), add(1, 2));
    }

    mod inner {
        #[test]
        fn reads_raw() {
            assert_eq!(r#"a"b"#.len(), 3);
        }
    }

    #[test]
    #[should_panic]
    fn panics() { assert_eq!(add(1, 2), 4); }

    #[test]
    #[ignore]
    fn ignored() { assert_eq!(add(1, 2), 4); }
}
`,
};

export const SAMPLES: readonly Sample[] = [NODE, VITEST, PYTEST, GO, CARGO];
