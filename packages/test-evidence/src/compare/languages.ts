/** Families of languages that share the suppression comments of their tools. */
export type LanguageFamily =
  | "js"
  | "python"
  | "go"
  | "rust"
  | "jvm"
  | "dotnet"
  | "ruby"
  | "php"
  | "c"
  | "swift"
  | "elixir"
  | "shell"
  | "dart";

const ENDINGS: Readonly<Record<LanguageFamily, readonly string[]>> = {
  js: ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro"],
  python: ["py", "pyi", "pyx"],
  go: ["go"],
  rust: ["rs"],
  jvm: ["java", "kt", "kts", "groovy", "scala"],
  dotnet: ["cs", "fs", "vb"],
  ruby: ["rb", "rake"],
  php: ["php"],
  c: ["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm"],
  swift: ["swift"],
  elixir: ["ex", "exs"],
  shell: ["sh", "bash", "bats"],
  dart: ["dart"],
};

const BY_ENDING: ReadonlyMap<string, LanguageFamily> = new Map(
  Object.entries(ENDINGS).flatMap(([family, endings]) => endings.map((ending) => [ending, family as LanguageFamily] as const)),
);

/** Files with coverage thresholds; patterns of file names. */
const CONFIGURATION: readonly string[] = [
  "package.json",
  ".nycrc*",
  ".c8rc*",
  "jest.config.*",
  "vitest.config.*",
  "vitest.workspace.*",
  "vite.config.*",
  "karma.conf.*",
  "pyproject.toml",
  "setup.cfg",
  "tox.ini",
  "pytest.ini",
  ".coveragerc",
  "codecov.yml",
  "codecov.yaml",
  ".codecov.yml",
  ".codecov.yaml",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  ".simplecov",
  "noxfile.py",
  "Makefile",
];

const CONFIGURATION_NAME = new RegExp(
  `^(?:${CONFIGURATION.map((name) => name.replace(/[.]/g, "\\.").replace(/\*/g, ".*")).join("|")})$`,
  "i",
);

/** Name patterns of all files that are searched, for a version control system. */
export const SEARCHED_NAMES: readonly string[] = [...[...BY_ENDING.keys()].map((ending) => `*.${ending}`), ...CONFIGURATION];

/** The family of a code file; undefined for other files. */
export function languageFamily(path: string): LanguageFamily | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return BY_ENDING.get(name.slice(name.lastIndexOf(".") + 1));
}

/** True if a file may contain coverage thresholds. */
export function isCoverageConfiguration(path: string): boolean {
  return CONFIGURATION_NAME.test(path.slice(path.lastIndexOf("/") + 1));
}

/** True if a file looks like a test file, by the conventions of the common runners. */
export function isTestFile(path: string): boolean {
  return /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|(?:^|[/._-])(?:test|spec)s?[._-]|(?:Test|Tests|Spec)\.\w+$/.test(path);
}
