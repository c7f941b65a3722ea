import { describe, expect, test } from "vitest";
import { type Hole, HoleLocator } from "../adversary/holes/locate.ts";

const CHECK = `/** Refuses what is too large. */
export async function refuseTooLarge(size: number): Promise<void> {
  if (size > MAX_SIZE) throw new Error("too large");
}

export class Store {
  #size = 0;

  add(size: number): boolean {
    this.#size += size;
    return this.#size < MAX_SIZE && size > 0;
  }

  query(): string {
    return \`SELECT size FROM files WHERE run = \${this.#size} AND size > 0\`;
  }
}
process.on("exit", () => undefined);
`;

const DEFENCE: Hole = { in: "refuseTooLarge", from: "if (size > MAX_SIZE)", to: "if (false)" };

/** The text that a hole replaces, and the path of its file. */
function locate(sources: Readonly<Record<string, string>>, hole: Hole): readonly [path: string, text: string | undefined] {
  const { path, start, end } = new HoleLocator(new Map(Object.entries(sources))).locate(hole);
  return [path, sources[path]?.slice(start, end)];
}

const inCheck = (name: string, from: string) => locate({ "src/check.ts": CHECK }, { in: name, from, to: "" })[1];
/** The replaced text in a function with this body. */
const inBody = (body: string, from: string) =>
  locate({ "src/a.ts": `function act() {\n${body}\n}\n` }, { in: "act", from, to: "" })[1];

describe("a hole's declaration", () => {
  test("is found wherever its file is", () => {
    expect(locate({ "src/check.ts": CHECK }, DEFENCE)).toEqual(["src/check.ts", DEFENCE.from]);
    expect(locate({ "oracle/deep/limits.ts": CHECK }, DEFENCE)).toEqual(["oracle/deep/limits.ts", DEFENCE.from]);
  });

  test.each([
    ["a method", "Store.add", "size > 0"],
    ["a private field", "Store.#size", "0"],
    ["a class", "Store", "return this.#size <"],
  ])("may be %s", (_, name, from) => {
    expect(inCheck(name, from)).toBe(from);
  });

  test("that was renamed is named with the nearest one and its file", () => {
    const renamed = { "src/check.ts": CHECK.replace("refuseTooLarge", "refuseTooLong"), "src/other.ts": "const far = 1;" };
    expect(() => locate(renamed, DEFENCE)).toThrow(
      "no declaration is named refuseTooLarge; the nearest is refuseTooLong in src/check.ts",
    );
    expect(() => inCheck("Store.addAll", "size")).toThrow("the nearest is Store.add in src/check.ts");
  });

  test("is the one that contains the piece if several files declare the name", () => {
    const sources = { "src/a.ts": "export function refuseTooLarge() {}\n", "src/b.ts": CHECK };
    expect(locate(sources, DEFENCE)[0]).toBe("src/b.ts");
  });

  test("is ambiguous if it contains the piece in several files", () => {
    expect(() => locate({ "src/a.ts": CHECK, "src/b.ts": CHECK, "src/c.ts": "const refuseTooLarge = 1;" }, DEFENCE)).toThrow(
      'refuseTooLarge does not contain "if (size > MAX_SIZE)" exactly once: src/a.ts has 1, src/b.ts has 1',
    );
  });
});

describe("a hole's piece", () => {
  test.each([
    ["line breaks and indentation", "call(\n    a,\n    b\n  );", "call(a, b);"],
    ["a trailing comma", "call(\n    a,\n    b,\n  );", "call(a, b);"],
    ["a trailing comma that is gone", 'list = ["a", "b"];', '"b",'],
    ["parentheses around a returned value", "return (\n    a &&\n    b\n  );", "return a && b;"],
    ["parentheses that are gone", "return a && b;", "return (a && b);"],
    ["quotes", "call('it is \"a\"');", 'call("it is \\"a\\"");'],
    ["comments", "call(); // twice\n  call(a);", "call(); call(a);"],
    ["line breaks before a half template", "call(\n    `a is`,\n  );", "call(`a"],
    ["the leading bar of a union", 'type A =\n  | "a"\n  | "b";', 'type A = "a" | "b";'],
  ])("is found whatever %s", (_, body, from) => {
    expect(inBody(body, from)?.[0]).toBe(from[0]);
    expect(() => inBody(body, `${from} none`)).toThrow("exactly once");
  });

  test("ends where the code ends that it names", () => {
    expect(inBody("before();\n  if (a\n    && b) stop();", "if (a && b)")).toBe("if (a\n    && b)");
  });

  test.each([
    ["a part of a name", "return restored;", "return rest"],
    ["half of the parentheses around a returned value", "return (\n    a &&\n    b\n  );", "return a"],
    ["a comment", "// stop here\n  go();", "stop here"],
    ["other white space in a string", 'call("a  b");', 'call("a b");'],
    ["a division where a regular expression is meant", "return a / b / c;", "/ b /"],
  ])("is not found as %s", (_, body, from) => {
    expect(() => inBody(body, from)).toThrow("exactly once");
  });

  test("may be a part of a template or string", () => {
    const from = "WHERE run = $" + "{this.#size} AND";
    expect(inCheck("Store.query", from)).toBe(from);
    expect(inCheck("Store.query", "return `SELECT size")).toBe("return `SELECT size");
    expect(inCheck("refuseTooLarge", "too large")).toBe("too large");
  });

  test("that is gone is reported with the nearest line", () => {
    const changed = CHECK.replace("size > MAX_SIZE", "size >= MAX_SIZE");
    expect(() => locate({ "src/check.ts": changed }, DEFENCE)).toThrow(
      'src/check.ts has 0; the nearest line is "if (size >= MAX_SIZE) throw new Error(\\"too large\\");"',
    );
  });

  test("may be in its declaration only once", () => {
    expect(() => inCheck("Store.add", "size")).toThrow("src/check.ts has 3");
  });
});

describe("a hole outside any declaration", () => {
  const perl = { "src/guard/client.pl": "exit 1 unless length $answer;\n" };

  test("is found by the name of its file", () => {
    expect(locate(perl, { file: "client.pl", from: "unless length $answer", to: "" })[1]).toBe("unless length $answer");
    expect(locate({ "src/main.ts": CHECK }, { file: "main.ts", from: "process.on( 'exit'", to: "" })[1]).toBe(
      'process.on("exit"',
    );
  });

  test("is refused if its file's name is not there, or not unique", () => {
    const hole = { file: "client.pl", from: "exit", to: "" };
    expect(() => locate({}, hole)).toThrow("no source is named client.pl");
    expect(() => locate({ ...perl, "src/client.pl": "" }, hole)).toThrow("src/guard/client.pl, src/client.pl");
    expect(() => locate(perl, { ...hole, from: "gone" })).toThrow('src/guard/client.pl has 0 of "gone"');
  });

  test("is refused if a declaration contains it", () => {
    const hole = { file: "main.ts", from: DEFENCE.from, to: "" };
    expect(() => locate({ "src/main.ts": CHECK }, hole)).toThrow("is in refuseTooLarge: name that in place of main.ts");
  });
});

describe("sources with holes", () => {
  const locator = new HoleLocator(new Map([["src/check.ts", CHECK]]));

  test("differ in the holes alone, and have one that is listed twice once", () => {
    const other: Hole = { in: "Store.add", from: "&& size > 0", to: "" };
    const changed = CHECK.replace("if (size > MAX_SIZE)", "if (false)").replace("&& size > 0;", ";");
    expect(locator.dig([other, DEFENCE, DEFENCE])).toEqual(new Map([["src/check.ts", changed]]));
  });

  test("have no two holes in the same place", () => {
    const wider: Hole = { in: "refuseTooLarge", from: "(size > MAX_SIZE) throw", to: "" };
    expect(() => locator.dig([DEFENCE, wider])).toThrow("overlaps another hole");
  });
});
