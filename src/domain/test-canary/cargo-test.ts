import { randomWords } from "../proof/twins/random-words.ts";
import { freshPath, randomValues, shifted } from "./names.ts";
import type { Draw, PlantedTest, Sowing, TestRunner } from "./runner.ts";

export const cargoTest: TestRunner = {
  name: "cargo test",
  isStartedBy: ([program = "", ...words]) =>
    program === "cargo" && words.some((word, i) => /^(?:test|t|nextest)$/.test(word) && words.slice(0, i).every(isOption)),
  isTestFile: (path) => /(?:^|\/)(?:src|tests)\/.*\.rs$/.test(path),
  keepsTestsInCode: true,
  // cargo continues with the next test program only if told to.
  stopsEarly: (words) => !words.includes("--no-fail-fast"),
  append: (file, options) => {
    if (!file.text.includes("#[test]")) return undefined;
    const known = options.fails === "many" ? knownTest(file.text, options.draw) : undefined;
    const { text, tests } = written(options);
    const inOwnModule = /(?:^|\/)tests\//.test(file.path) ? text : moduleText(text, options.draw);
    return {
      path: file.path,
      text: `${shifted(known?.text ?? file.text, options.draw)}\n${inOwnModule}`,
      tests: [...tests, ...(known === undefined ? [] : [{ name: known.name, role: "known" as const }])],
    };
  },
  beside: (file, options) => {
    // Elsewhere a file is a module that another file must name.
    if (!/(?:^|\/)tests\/[^/]+\.rs$/.test(file.path) || !file.text.includes("#[test]")) return undefined;
    const { text, tests } = written(options);
    const uses = [...file.text.matchAll(/^use [\w:]{1,200}(?:::\{[^}]{0,500}\})?;$/gm)].map(([line]) => `${line}\n`);
    return { path: freshPath(file.path, options.draw), text: `${uses.join("")}\n${text}`, tests };
  },
};

const isOption = (word: string): boolean => /^[-+]/.test(word);

function written(sowing: Sowing): { readonly text: string; readonly tests: readonly PlantedTest[] } {
  const roles = sowing.fails === "none" ? (["passes"] as const) : (["passes", "fails"] as const);
  const parts = roles.map((role) => {
    const name = randomWords(sowing.draw).join("_");
    return { name, role, text: `#[test]\nfn ${name}() {\n    ${statement(sowing.draw, role)}\n}\n` };
  });
  return { text: parts.map(({ text }) => text).join("\n"), tests: parts.map(({ name, role }) => ({ name, role })) };
}

function moduleText(text: string, draw: Draw): string {
  const name = randomWords(draw).slice(0, 3).join("_");
  return `#[cfg(test)]\nmod ${name} {\n${text.replace(/^(?=.)/gm, "    ")}}\n`;
}

function statement(draw: Draw, must: "fails" | "passes"): string {
  const { n, m } = randomValues(draw);
  return `assert_eq!(${n}, ${must === "fails" ? m : n});`;
}

const FUNCTION = /^([ \t]{0,16})#\[test\]\n[ \t]{0,16}fn (\w{1,120})\(\) \{\n/gm;

/** The file with a statement at the beginning of one of its tests, which makes it fail. */
function knownTest(text: string, draw: Draw): { readonly name: string; readonly text: string } | undefined {
  const found = [...text.matchAll(FUNCTION)];
  const chosen = found[draw(Math.max(1, found.length))];
  if (chosen === undefined) return undefined;
  const at = chosen.index + chosen[0].length;
  const line = `${chosen[1] ?? ""}    ${statement(draw, "fails")}\n`;
  return { name: chosen[2] ?? "", text: text.slice(0, at) + line + text.slice(at) };
}
