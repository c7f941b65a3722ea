import { describe, expect, test } from "vitest";
import { suppressionsIn } from "../../src/compare/suppressions.ts";

const found = (path: string, line: string): number => suppressionsIn([{ path, line: 1, added: [line], removed: [] }]).length;

describe("a marker that is only spoken of does not count", () => {
  test.for([
    ["src/a.ts", "// All eslint-disable comments are gone; @ts-ignore was never used"],
    ["src/a.ts", "/* Nobody needs tslint:disable any more. */"],
    ["src/a.ts", "* It counts eslint-disable and c8 ignore."],
    ["src/a.ts", 'const rule = "eslint-disable";'],
    ["src/a.ts", 'log("add // eslint-disable-line to it");'],
    ["src/a.ts", "const n = text.split('biome-ignore').length; // not eslint-disable-line"],
    ["test/a.test.ts", "// We don't use test.only( here, nor it.skip"],
    ["test/a.test.ts", "/* A test.skip would be seen. */"],
    ["test/a.test.ts", " * Nobody may leave a describe.only behind"],
    ["test/a.test.ts", "// we don't use test.only(\r"],
    ["test/a.test.ts", "// Nobody leaves a test.only('', f) behind"],
    ["test/a.test.ts", 'it("warns of test.only( and of it.skip(", () => {'],
    ["test/a.test.ts", "const words = [\"a\", 'it.skip is one'];"],
    ["test/a.test.ts", "// O'Neill left a test.only( here"],
    ["test/a.test.ts", "const words = [\"two\", 'use it.skip here'];"],
    ["test/a.test.ts", "const words = ['two', \"use it.skip here\"];"],
    ["test_a.py", "# O'Neill would call pytest.skip here"],
    ["test_a.py", "# it is never pytest.skip that we call"],
    ["test_a.py", 'WORDS = ["we call pytest.skip here"]'],
  ] as const)("%s: %s", ([path, line]) => {
    expect(found(path, line)).toBe(0);
  });
});

describe("a marker that a tool would read counts, whatever stands before it", () => {
  test.for([
    // A comment or a string that the line above left open ends here.
    ["src/a.ts", 'was open", f(), // eslint-disable-line no-undef "'],
    ["test/a.test.ts", "`; // $" + "{it.skip('x', f)}"],
    ["test/a.test.ts", "// $" + "{it.skip('x', f)}"],
    ["test/a.test.ts", "// */ it.skip('x', f)"],
    ["test/a.test.ts", '", it.skip("x", f), "'],
    ["test/a.test.ts", '" + it.skip("x", f) + "'],
    ["test/a.test.ts", '"in it.skip("x", f)'],
    ["test/a.test.ts", "// don'in it.skip('x', f)"],
    ["test/a.test.ts", "// \" + it.skip('x', f)"],
    // In JSX a quote is a quote, and braces hold code.
    ["test/a.test.tsx", "<a>' {it.skip('x', f)} '</a>"],
    ["test/a.test.tsx", "don't {it.skip(1, f)}"],
    ["test/a.test.ts", "// `, it.skip('x', f)"],
    ["test/a.test.ts", "f('a\\'b', it.skip(1, f))"],
    ["test/a.test.tsx", "' {it.skip('x', f)} '"],
    ["test/a.test.tsx", "// {it.skip('x', f)}"],
    ["test/a.test.vue", "// <script>it.skip('x', f)</script>"],
    // A factor, a comma, a regular expression.
    ["test/a.test.ts", "* it.skip('x', f)"],
    ["test/a.test.ts", "* Foo, it.skip('x', f)"],
    ["test/a.test.ts", "* await it.skip('x', f)"],
    ["test/a.test.ts", "/* a */ it.skip('x', f)"],
    ["test/a.test.ts", "f(/\"a/, it.skip('x', f)) // \""],
    ["test/a.test.ts", 'f("\\"", it.skip("x", f))'],
    ["test/a.test.ts", "it.skip('says it.skip(', f)"],
    ["test/a.test.ts", "log('use it.skip('); it.skip('x', f)"],
    // What ends a line for JavaScript alone.
    ["test/a.test.ts", "// a comment\u2028it.skip('x', f)"],
    ["test/a.test.ts", "// a comment\rit.skip('x', f)"],
    ["test_a.py", "# a comment\rpytest.skip('x')"],
    ["test_a.py", "x = f(1) # never pytest.skip"],
    ["test_a.py", '#"""; pytest.skip("x")'],
    ["test_a.py", "# don't '''; pytest.skip('x')"],
    ["test_a.py", "# don'r\"z\", pytest.skip('x'))"],
    ["test_a.py", "# don'in pytest.skip('x')"],
    ["test_a.py", "f('{pytest.skip(1)}')"],
    // Tools that read lines, and comments that begin with their word.
    ["src/a.ts", 'const a = "see /* c8 ignore start */";'],
    ["src/a.ts", "f(); /* eslint-disable */"],
    ["src/a.ts", "f(); //eslint-disable-line"],
    ["src/a.ts", "/** @ts-ignore */"],
    ["src/a.ts", "* @ts-ignore */"],
    ["src/a.ts", '"// eslint-disable-line'],
    ["src/a.ts", "// legacy: $FlowFixMe"],
    ["src/a.vue", "<!-- @vue-ignore -->"],
    ["test/a.test.ts", `// ${"long ".repeat(300)} it.skip(`],
  ] as const)("%s: %s", ([path, line]) => {
    expect(found(path, line)).toBeGreaterThan(0);
  });
});
