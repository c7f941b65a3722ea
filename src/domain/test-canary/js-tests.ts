import { randomWords } from "../proof/twins/random-words.ts";
import { type Assertion, assertionsOf } from "./js-assertions.ts";
import { type Loaded, loadedBy, loadLine } from "./js-imports.ts";
import { freshPath, shifted } from "./names.ts";
import type { Draw, PlantedTest, Planting, Sowing, TestFile } from "./runner.ts";

/** A JavaScript runner's ways to provide `test` to a file. */
export interface JsRunner {
  /** Modules that export it. */
  readonly modules: ReadonlySet<string>;
  /** `test`, `it` and `expect` may be globals. */
  readonly hasGlobals: boolean;
}

/** A file's style of writing tests. */
interface Style {
  readonly test: string;
  /** The lines that a fresh file must load for `test`. */
  readonly loads: readonly string[];
  readonly assertions: readonly Assertion[];
  readonly loaded: readonly Loaded[];
  readonly titles: readonly string[];
  readonly indent: string;
  readonly isSingle: boolean;
  readonly hasSemicolons: boolean;
}

/** Text with its planted tests. */
interface Written {
  readonly text: string;
  readonly tests: readonly PlantedTest[];
}

/** The file with planted tests at its end. */
export function appendJs(file: TestFile, sowing: Sowing, runner: JsRunner): Planting | undefined {
  const style = styleOf(file.text, runner);
  if (style === undefined) return undefined;
  const known = sowing.fails === "many" ? knownTest(file.text, style, sowing.draw) : undefined;
  const { text, tests } = written(style, sowing);
  const whole = known?.text ?? file.text;
  const end = whole === "" || whole.endsWith("\n") ? "" : "\n";
  return {
    path: file.path,
    text: `${shifted(whole, sowing.draw)}${end}\n${text}`,
    tests: [...tests, ...(known?.tests ?? [])],
  };
}

/** A fresh file beside it, which loads the same modules and so the same code. */
export function besideJs(file: TestFile, sowing: Sowing, runner: JsRunner): Planting | undefined {
  const style = styleOf(file.text, runner);
  if (style === undefined) return undefined;
  const { text, tests } = written(style, sowing);
  const own = new Set([...style.loads, ...style.assertions.flatMap(({ loads }) => loads)]);
  // Loaded without names, for their side effects: unused names are errors to some compilers.
  const others = style.loaded.filter(({ module }) => !isOwn(module, runner)).map((each) => loadLine(each));
  const lines = [...own, ...new Set(others)].map((line) => dressed(line, style));
  return { path: freshPath(file.path, sowing.draw), text: `${lines.join("\n")}\n\n${text}`, tests };
}

function isOwn(module: string, { modules }: JsRunner): boolean {
  return modules.has(module) || /^(?:node:)?assert(?:\/strict)?$/.test(module);
}

function styleOf(text: string, runner: JsRunner): Style | undefined {
  const loaded = loadedBy(text);
  const found = testName(text, loaded, runner);
  if (found === undefined) return undefined;
  return {
    ...found,
    assertions: assertionsOf(text, loaded, runner.hasGlobals),
    loaded,
    titles: [...text.matchAll(TITLE)].map(([, , , title = ""]) => title),
    indent: /^([ \t]{1,8})\S/m.exec(text)?.[1] ?? "  ",
    isSingle: text.split("'").length > text.split('"').length,
    hasSemicolons: /;[ \t]*$/m.test(text),
  };
}

/** The function that the file calls to define a test. */
function testName(
  text: string,
  loaded: readonly Loaded[],
  { modules, hasGlobals }: JsRunner,
): Pick<Style, "test" | "loads"> | undefined {
  for (const from of loaded.filter(({ module }) => modules.has(module))) {
    for (const exported of ["test", "it", "default", "*"]) {
      const local = from.names.get(exported);
      if (local === undefined) continue;
      return { test: exported === "*" ? `${local}.test` : local, loads: [loadLine(from, [exported, local])] };
    }
  }
  const global = hasGlobals ? /^[ \t]{0,40}(test|it)\(/m.exec(text)?.[1] : undefined;
  return global === undefined ? undefined : { test: global, loads: [] };
}

/** One passing test, then a failing one for each kind of assertion. */
function written(style: Style, sowing: Sowing): Written {
  const [first] = style.assertions;
  if (first === undefined) return { text: "", tests: [] };
  const failing = sowing.fails === "none" ? [] : sowing.fails === "one" ? [first] : style.assertions;
  const parts = [first, ...failing].map((assertion, i) => {
    const name = randomWords(sowing.draw, style.titles).join(" ");
    const role = i === 0 ? ("passes" as const) : ("fails" as const);
    return { role, name, text: testText(style, { name, assertion, role, draw: sowing.draw }) };
  });
  return { text: parts.map(({ text }) => text).join("\n"), tests: parts.map(({ name, role }) => ({ name, role })) };
}

function testText(
  style: Style,
  options: { readonly name: string; readonly assertion: Assertion; readonly role: "passes" | "fails"; readonly draw: Draw },
): string {
  const { assertion, draw } = options;
  const statement = options.role === "passes" ? assertion.passes(draw) : assertion.fails(draw);
  const head = `${style.test}(${JSON.stringify(options.name)}, ${assertion.waits ? "async " : ""}() => {`;
  return `${dressed(`${head}\n  ${statement}\n});`, style)}\n`;
}

/** Code in the file's own quotes, indentation and line ends. */
function dressed(code: string, style: Style): string {
  const quoted = style.isSingle ? code.replace(/"([^"'\n\\]*)"/g, "'$1'") : code;
  const indented = quoted.replace(/^(?: {2})+/gm, (spaces) => style.indent.repeat(spaces.length / 2));
  return style.hasSemicolons ? indented : indented.replace(/;$/gm, "");
}

/** Names that are plain enough to be found again in every report. */
const TITLE = /^([ \t]{0,16})(?:test|it)\(\s{0,20}(["'])([\w ,:+-]{3,120})\2\s{0,4},/gm;
const GROUP = /^(describe|suite|context)\(\s{0,20}(["'])([\w ,:+-]{1,120})\2\s{0,4},/gm;

/**
 * The file with a failing test that has the name of an existing one: before that one, or at the end in a group with the same
 * name. Code under test must not be able to tell them apart by name.
 */
function knownTest(text: string, style: Style, draw: Draw): Written | undefined {
  const titles = [...text.matchAll(TITLE)];
  const chosen = titles[draw(Math.max(1, titles.length))];
  const [first] = style.assertions;
  if (chosen === undefined || first === undefined) return undefined;
  const [, indent = "", , name = ""] = chosen;
  const test = testText(style, { name, assertion: first, role: "fails", draw });
  const tests = [{ name, role: "known" as const }];
  if (draw(2) === 0) {
    const twin = test.replace(/^(?=.)/gm, indent);
    return { text: `${text.slice(0, chosen.index)}${twin}\n${text.slice(chosen.index)}`, tests };
  }
  const end = text.endsWith("\n") ? "" : "\n";
  const group = indent === "" ? undefined : [...text.matchAll(GROUP)].findLast(({ index }) => index < chosen.index);
  if (group === undefined) return indent === "" ? { text: `${text}${end}\n${test}`, tests } : undefined;
  const body = test.trimEnd().replace(/^/gm, style.indent);
  const [, word = "describe", , title = ""] = group;
  const [open, close] = [`${word}(${JSON.stringify(title)}, () => {`, "});"].map((line) => dressed(line, style));
  return { text: `${text}${end}\n${open}\n${body}\n${close}\n`, tests };
}
