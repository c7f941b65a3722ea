import { randomWords } from "../proof/twins/random-words.ts";
import { freshPath, randomValues, shifted } from "./names.ts";
import type { Draw, PlantedTest, Planting, Sowing, TestFile, TestRunner } from "./runner.ts";

/** A failing or passing body of a function or of a method of a `unittest.TestCase`. */
type Body = (draw: Draw, must: "fails" | "passes") => string;

interface Style {
  readonly indent: string;
  readonly bodies: readonly Body[];
  /** Names of its tests. */
  readonly titles: readonly string[];
  /** Set if the tests are methods of a class, as `unittest` requires: the class that it derives from. */
  readonly caseClass: string | undefined;
}

export const pytest: TestRunner = {
  name: "pytest",
  isStartedBy: ([program = "", flag, module]) =>
    /^(?:pytest|py\.test)$/.test(program) || (/^python[\d.]*$/.test(program) && flag === "-m" && module === "pytest"),
  isTestFile: (path) => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path),
  stopsEarly: (words) => words.some((word) => /^(?:-[a-wyz]*x[a-z]*|--exitfirst|--maxfail(?:=\d+)?)$/.test(word)),
  append: (file, options) => {
    const style = styleOf(file.text);
    const known = options.fails === "many" ? knownTest(file.text, style, options.draw) : undefined;
    const { text, tests } = written(style, options);
    const end = file.text === "" || file.text.endsWith("\n") ? "" : "\n";
    return {
      path: file.path,
      text: `${shifted(file.text, options.draw)}${end}${text}${known?.text ?? ""}`,
      tests: [...tests, ...(known === undefined ? [] : [{ name: known.name, role: "known" as const }])],
    };
  },
  beside: (file, options): Planting => {
    const { text, tests } = written(styleOf(file.text), options);
    return { path: freshPath(file.path, options.draw), text: `${importsOf(file)}${text}`, tests };
  },
};

/** A file's text may be a worker's: lengths are bounded. */
const IMPORT = /^(?:import [\w., ]{1,300}|from [\w.]{1,200} import (?:\([^)]{0,2000}\)|[\w.*, ]{1,300}))$/gm;

/** The lines at its top by which it loads code. */
function importsOf({ text }: TestFile): string {
  return [...text.matchAll(IMPORT)].map(([line]) => `${line}\n`).join("");
}

function styleOf(text: string): Style {
  const indent = /^([ \t]{1,8})\S/m.exec(text)?.[1] ?? "    ";
  const titles = [...text.matchAll(/^\s{0,16}def test_(\w{1,120})\(/gm)].map(([, name = ""]) => name.replaceAll("_", " "));
  const caseClass = /^class \w{1,100}\(((?:unittest\.)?TestCase)\):/m.exec(text)?.[1];
  if (caseClass !== undefined) return { indent, bodies: [ASSERT_EQUAL, PLAIN], titles, caseClass };
  const raises = text.includes("pytest.raises(") && /^import pytest$/m.test(text) ? [RAISES(indent)] : [];
  return { indent, bodies: [PLAIN, ...raises], titles, caseClass };
}

const PLAIN: Body = (draw, must) => {
  const { n, m, word, other } = randomValues(draw);
  const isFailing = must === "fails";
  const forms = [
    `assert ${n} == ${isFailing ? m : n}`,
    `assert "${word}" == "${isFailing ? other : word}"`,
    `assert ${isFailing ? m : n} in [${n}, ${n + 100}]`,
    `${word} = ${n}\nassert ${word} + ${m} == ${isFailing ? n : n + m}`,
    `${word} = ["${other}"] * ${n}\nassert len(${word}) == ${isFailing ? m : n}`,
  ];
  return forms[draw(forms.length)] ?? "";
};

const ASSERT_EQUAL: Body = (draw, must) => {
  const { n, m } = randomValues(draw);
  return `self.assertEqual(${n}, ${must === "fails" ? m : n})`;
};

const RAISES =
  (indent: string): Body =>
  (draw, must) => {
    const { n, m } = randomValues(draw);
    return `with pytest.raises(ZeroDivisionError):\n${indent}assert ${n} // ${must === "fails" ? m : 0} == 0`;
  };

function written(style: Style, sowing: Sowing): { readonly text: string; readonly tests: readonly PlantedTest[] } {
  const failing = sowing.fails === "none" ? [] : sowing.fails === "one" ? style.bodies.slice(0, 1) : style.bodies;
  const [first = PLAIN] = style.bodies;
  const parts = [first, ...failing].map((body, i) => {
    const role = i === 0 ? ("passes" as const) : ("fails" as const);
    return { role, name: `test_${randomWords(sowing.draw, style.titles).join("_")}`, body: body(sowing.draw, role) };
  });
  const tests = parts.map(({ name, role }) => ({ name, role }));
  if (style.caseClass === undefined)
    return { text: parts.map(({ name, body }) => `\n\n${functionText(name, body, style)}`).join(""), tests };
  const methods = parts.map(({ name, body }) => functionText(name, body, style, "self").replace(/^(?=.)/gm, style.indent));
  const title = randomWords(sowing.draw).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return { text: `\n\nclass Test${title.join("")}(${style.caseClass}):\n${methods.join("\n")}`, tests };
}

function functionText(name: string, body: string, { indent }: Style, self = ""): string {
  return `def ${name}(${self}):\n${body.replace(/^/gm, indent)}\n`;
}

/** Functions at the top, without a decorator or fixtures: of two definitions the second counts. */
const FUNCTION = /^(?<!^@.{0,200}\n)def (test_\w{1,120})\(\):/gm;

function knownTest(text: string, style: Style, draw: Draw): { readonly name: string; readonly text: string } | undefined {
  const names = [...text.matchAll(FUNCTION)].map(([, name = ""]) => name);
  const name = names[draw(Math.max(1, names.length))];
  return name === undefined ? undefined : { name, text: `\n\n${functionText(name, PLAIN(draw, "fails"), style)}` };
}
