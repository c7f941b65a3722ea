interface Rule {
  readonly prerequisites: readonly string[];
  readonly recipe: string;
}

/** Targets that run tests, by preference: where a Makefile has both, `check` is often a linter. */
const TESTS = ["test", "check"] as const;
/** Targets that build, by preference (gnu.org/prep/standards, Standard Targets). */
const BUILDS = ["all", "build"] as const;

/** Recipes that build by themselves what they test, or test what needs no build. */
const NEEDS_NO_BUILD =
  /\$[({]MAKE[)}]|(?:^|[\s;&|/@])(?:make|go|cargo|npm|npx|pnpm|yarn|bun|node|deno|python[\d.]*|pytest|py\.test|tox|nox|uv|poetry|bundle|rake|ruby|mix|gradlew?|mvnw?|dotnet|swift|stack|cabal|dune|zig|meson|ninja|cmake|bazel|docker|shellcheck|bats)(?=\s|$)/m;

/**
 * The command that runs the tests of a Makefile; undefined if it has no target `test` or `check`. A target that depends on
 * nothing and runs something that must have been built is preceded by the target that builds: `make all check`. Make takes
 * targets in the order of the command line.
 */
export function makeTests(text: string): readonly string[] | undefined {
  const rules = makeRules(text);
  const tests = TESTS.find((name) => rules.has(name));
  if (tests === undefined) return undefined;
  const { prerequisites = [], recipe = "" } = rules.get(tests) ?? {};
  const builds = BUILDS.find((name) => rules.has(name));
  const isBuilt = builds === undefined || prerequisites.length > 0 || recipe === "" || NEEDS_NO_BUILD.test(recipe);
  return isBuilt ? ["make", tests] : ["make", builds, tests];
}

/** The explicit rules by target; several for one target count as one. Blind to included files. */
export function makeRules(text: string): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>();
  let targets: readonly string[] = [];
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    const rule = line.startsWith("\t") ? { targets, prerequisites: [], recipe: line } : ruleIn(line);
    // Blank lines and comments do not end a recipe.
    if (rule === undefined && /^\s*(?:#|$)/.test(line)) continue;
    targets = rule?.targets ?? [];
    for (const target of targets) add(rules, target, rule?.prerequisites ?? [], rule?.recipe ?? "");
  }
  return rules;
}

/** The rule that a line begins; undefined if it begins none. */
function ruleIn(line: string): (Rule & { readonly targets: readonly string[] }) | undefined {
  const [, names, rest = ""] = /^([^\s#:=][^:#=]{0,1000})::?(?![:=])(.*)$/.exec(line) ?? [];
  if (names === undefined) return undefined;
  const [before = "", recipe = ""] = (rest.split("#", 1)[0] ?? "").split(";", 2);
  // `target: NAME = value` sets a variable for the target.
  const prerequisites = before.includes("=") ? [] : words(before.replace("|", " "));
  return { targets: words(names), prerequisites, recipe };
}

function add(rules: Map<string, Rule>, target: string, prerequisites: readonly string[], recipe: string): void {
  const before = rules.get(target) ?? { prerequisites: [], recipe: "" };
  const text = recipe.trim() === "" ? before.recipe : `${before.recipe}${recipe.trim()}\n`;
  rules.set(target, { prerequisites: [...before.prerequisites, ...prerequisites], recipe: text });
}

const words = (text: string): readonly string[] =>
  text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
