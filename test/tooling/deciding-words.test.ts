import { describe, expect, it } from "vitest";
import { readings, readingsIn, rows } from "./deciding-words.ts";

const TABLE = rows();
const FOUND = readings();
const rowOf = (file: string) =>
  TABLE.find(({ place }) => place === file) ?? TABLE.find(({ place }) => place.endsWith("/") && file.startsWith(place));

describe("the table of places where words are read", () => {
  it("has each place in the code, as often as it reads them", () => {
    const missing = [...FOUND].filter(([file, found]) => {
      const row = rowOf(file);
      return row === undefined || (row.times !== undefined && row.times !== found.length);
    });
    expect(missing).toEqual([]);
  });

  it("has no place that is not in the code", () => {
    const gone = TABLE.filter(({ place }) => ![...FOUND.keys()].some((file) => rowOf(file)?.place === place));
    expect(gone.map(({ place }) => place)).toEqual([]);
  });

  it("names each place once, and says who writes the words and what they decide", () => {
    const places = TABLE.map(({ place }) => place);
    expect(places.length).toBe(new Set(places).size);
    expect(TABLE.filter(({ writer, decides }) => writer === "" || decides === "")).toEqual([]);
  });

  it("takes a whole folder only where nothing decides", () => {
    const folders = TABLE.filter(({ times }) => times === undefined).map(({ place }) => place);
    expect(folders).toEqual(["packages/triage/src/parsers/", "packages/test-evidence/src/reports/", "src/adapters/sandbox/"]);
  });
});

describe("a reading of words is found", () => {
  it.each([
    ["by a pattern", "if (/No space left/.test(result.stderr)) wait();", "/No space left/.test(result.stderr)"],
    ["by a pattern with a name", "const at = FAULT.exec(errorMessage(error));", "FAULT.exec(errorMessage(error))"],
    ["by a pattern of a list", "KINDS.find(({ pattern }) => pattern.test(x))", "pattern.test(x)"],
    ["in RE2", "compile(x).matcher(y).find()", "compile(x).matcher(y)"],
    ["by a part", 'result.tail.slice(-9).includes("429")', 'result.tail.slice(-9).includes("429")'],
    ["by its end", 'said.trim().endsWith("denied")', 'said.trim().endsWith("denied")'],
    ["by a match", "run.output.match(/ECONNRESET/)", "run.output.match(/ECONNRESET/)"],
    ["by equality", 'error.message === "fetch failed"', 'error.message === "fetch failed"'],
    ["the other way round", '"fetch failed" !== reason.trim()', '"fetch failed" !== reason.trim()'],
    ["in a template", `RIGHTS.test(\`\${stdout}-\`)`, `RIGHTS.test(\`\${stdout}-\`)`],
    ["behind an option", 'result?.stderr?.includes("denied")', 'result?.stderr?.includes("denied")'],
  ])("%s", (_what, source, reading) => {
    expect(readingsIn(source)).toEqual([reading]);
  });

  it("and what is none is not", () => {
    const none = ['kind === "stderr"', "status !== 0", "paths.includes(path)", "ID.test(id)", "names.some((name) => says(name))"];
    expect(none.flatMap(readingsIn)).toEqual([]);
  });
});
