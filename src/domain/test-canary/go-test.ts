import { randomWords } from "../proof/twins/random-words.ts";
import { freshPath, randomValues, shifted } from "./names.ts";
import type { Draw, PlantedTest, Planting, Sowing, TestFile, TestRunner } from "./runner.ts";

export const goTest: TestRunner = {
  name: "go test",
  isStartedBy: ([program = "", ...words]) => (program === "go" && words[0] === "test") || program === "gotestsum",
  isTestFile: (path) => path.endsWith("_test.go"),
  stopsEarly: (words) => words.some((word) => /^--?failfast(?:=true)?$/.test(word)),
  append: (file, options) => {
    if (!TESTING.test(file.text)) return undefined;
    const known = options.fails === "many" ? knownTest(file.text, options.draw) : undefined;
    const { text, tests } = written(styleOf(file.text), options);
    return {
      path: file.path,
      text: `${shifted(known?.text ?? file.text, options.draw)}\n${text}`,
      tests: [...tests, ...(known === undefined ? [] : [{ name: known.name, role: "known" as const }])],
    };
  },
  beside: (file, options): Planting | undefined => {
    const name = /^package (\w{1,100})/m.exec(file.text)?.[1];
    if (name === undefined) return undefined;
    const { text, tests } = written(undefined, options);
    // The package is one program: it loads whatever its other files load.
    return { path: pathBeside(file, options.draw), text: `package ${name}\n\nimport "testing"\n\n${text}`, tests };
  },
};

/** Go leaves out files that begin with "_" or "."; "_linux" and the like before "_test" would name a system. */
function pathBeside(file: TestFile, draw: Draw): string {
  return freshPath(file.path.replace(/[^/]*$/, "a_test.go"), draw);
}

const TESTING = /^(?:import )?[ \t]{0,8}"testing"/m;

/** The name that testify's assertions are called by. */
type Style = "assert" | "require" | undefined;

function styleOf(text: string): Style {
  return /^(?:import )?[ \t]{0,8}"github\.com\/stretchr\/testify\/(assert|require)"/m.exec(text)?.[1] as Style;
}

function written(style: Style, sowing: Sowing): { readonly text: string; readonly tests: readonly PlantedTest[] } {
  const styles = style === undefined ? [style] : [style, undefined];
  const failing = sowing.fails === "none" ? [] : sowing.fails === "one" ? styles.slice(0, 1) : styles;
  const parts = [styles[0], ...failing].map((each, i) => {
    const role = i === 0 ? ("passes" as const) : ("fails" as const);
    const title = randomWords(sowing.draw).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    const name = `Test${title.join("")}`;
    return { name, role, text: `func ${name}(t *testing.T) {\n${body(each, sowing.draw, role)}}\n` };
  });
  return { text: parts.map(({ text }) => text).join("\n"), tests: parts.map(({ name, role }) => ({ name, role })) };
}

function body(style: Style, draw: Draw, must: "fails" | "passes"): string {
  const { n, m } = randomValues(draw);
  const want = must === "fails" ? m : n;
  if (style !== undefined) return `\t${style}.Equal(t, ${want}, ${n})\n`;
  return `\tif got := ${n}; got != ${want} {\n\t\tt.Errorf("got %d, want %d", got, ${want})\n\t}\n`;
}

const FUNCTION = /^func (Test\w{1,120})\(t \*testing\.T\) \{\n/gm;

/** The file with a check at the beginning of one of its tests, which makes it fail. */
function knownTest(text: string, draw: Draw): { readonly name: string; readonly text: string } | undefined {
  const found = [...text.matchAll(FUNCTION)];
  const chosen = found[draw(Math.max(1, found.length))];
  if (chosen === undefined) return undefined;
  const at = chosen.index + chosen[0].length;
  return { name: chosen[1] ?? "", text: `${text.slice(0, at)}${body(undefined, draw, "fails")}${text.slice(at)}` };
}
