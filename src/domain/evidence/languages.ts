/** Families of languages that share the comments by which their tools are told to look away. */
export type Family =
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

const ENDINGS: Readonly<Record<Family, readonly string[]>> = {
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

const BY_ENDING: ReadonlyMap<string, Family> = new Map(
  Object.entries(ENDINGS).flatMap(([family, endings]) => endings.map((ending) => [ending, family as Family] as const)),
);

/** Files in which tools keep the coverage that they demand; patterns of file names. */
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

/** Patterns of the names of all files that are searched, for a version control system that looks for them. */
export const SEARCHED_NAMES: readonly string[] = [...[...BY_ENDING.keys()].map((ending) => `*.${ending}`), ...CONFIGURATION];

/** The family of a code file; undefined for what is no code. */
export function familyOf(path: string): Family | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return BY_ENDING.get(name.slice(name.lastIndexOf(".") + 1));
}

/** Whether a file may hold demands on coverage. */
export function isConfiguration(path: string): boolean {
  return CONFIGURATION_NAME.test(path.slice(path.lastIndexOf("/") + 1));
}

/** Whether a file looks like one of tests, by the habits of the common runners. */
export function isTestFile(path: string): boolean {
  return /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|(?:^|[/._-])(?:test|spec)s?[._-]|(?:Test|Tests|Spec)\.\w+$/.test(path);
}
