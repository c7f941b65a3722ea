/** Folders of tests and their files, by the conventions of common runners. */
const TEST_FOLDERS = /(?:^|\/)(?:tests?|__tests__|spec|specs|e2e|__snapshots__|__mocks__|testdata|testing)\//i;

/** Files that runners find by name: node:test, vitest, jest, mocha, pytest, go, rspec, JUnit, PHPUnit, ExUnit. */
const TEST_FILES: readonly RegExp[] = [
  /(?:^|[./_-])(?:test|spec)s?\.[cm]?[jt]sx?$/i,
  /(?:^|\/)test_[^/]*\.py$|_test\.(?:py|go|exs|rb|dart)$|_spec\.rb$/,
  /(?:^|\/)(?:Test[^/]*|[^/]*Tests?)\.(?:java|kt|kts|groovy|scala|cs|fs|php|swift)$/,
  /\.(?:snap|ambr)$/,
];

/** Files that steer a runner, a compiler or a package program; patterns of file names. */
const CONFIGURATION: readonly RegExp[] = [
  /^(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|deno\.jsonc?)$/,
  /^(?:vite|vitest|jest|karma|playwright|cypress|ava|wdio|rollup|webpack|babel|metro|nx|turbo|lerna)\b[\w.-]*\.(?:[cm]?[jt]s|json)$/,
  /^[jt]sconfig[\w.-]*\.json$/,
  /^\.(?:mocharc|babelrc|nycrc|c8rc|swcrc|npmrc|yarnrc|taprc|eslintrc|env|coveragerc|rspec|tool-versions|nvmrc)[\w.-]*$/,
  /^(?:pytest\.ini|tox\.ini|setup\.(?:cfg|py)|pyproject\.toml|conftest\.py|noxfile\.py|Pipfile(?:\.lock)?|(?:poetry|uv)\.lock)$/,
  /^(?:sitecustomize\.py|usercustomize\.py|requirements[\w.-]*\.txt)$/,
  /^(?:go\.(?:mod|sum|work)|Cargo\.(?:toml|lock)|build\.rs|rust-toolchain[\w.]*|nextest\.toml)$/,
  /^(?:Makefile|GNUmakefile|makefile|CMakeLists\.txt|meson\.build|justfile|Taskfile\.ya?ml)$/,
  /^(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|gradlew|mvnw)$/,
  /^(?:Gemfile(?:\.lock)?|Rakefile|phpunit[\w.-]*\.xml(?:\.dist)?|composer\.(?:json|lock)|mix\.(?:exs|lock)|pubspec\.(?:yaml|lock))$/,
  /\.(?:csproj|fsproj|sln)$/,
];

/** Folders into which package programs install. */
const DEPENDENCIES =
  /^(?:node_modules|bower_components|jspm_packages|\.venv|venv|__pypackages__|site-packages|vendor|\.bundle|Pods|\.yarn|deps|elm-stuff)$/;

/** Files that package programs install beside such folders. */
const DEPENDENCY_FILES = /^\.pnp\.(?:c?js|loader\.mjs|data\.json)$/;

/** Folders in `node_modules` that tools write while they run: vite, vitest, jest, babel, terser, prettier and others. */
const CACHES = /^\.(?:cache|vite|vite-temp|vitest|tmp|temp)$/;

/** Python finds these along a path on which the folders of tests come first; Go takes every file of a folder. */
const SEARCH_PATH_FILES = /\.(?:py|pyc|pyd|pth|so|go)$/;
/** Loaded by a name without its extension. */
const CODE = /\.(?:[cm]?[jt]sx?|node|wasm|rb)$/;

/** Lock files that tools write if none is committed, and reports that are named after their runner. */
const GENERATED =
  /^(?:Cargo|uv|poetry|mix|Gemfile|composer|Pipfile)\.lock$|^\.rspec_status$|[-_.](?:results?|reports?|junit|stats)\.(?:json|xml)$/;

/** Documents for people. */
const PROSE = /\.(?:md|markdown|mdown|rst|adoc|asciidoc)$|(?:^|\/)(?:LICEN[CS]E|NOTICE|AUTHORS|CHANGELOG|README)(?:\.txt)?$/i;

/** True if a committed file can influence a command's result: every file except a document outside the tests. */
export function canDecide(path: string): boolean {
  return !PROSE.test(path) || isTestPath(path);
}

/** True if a path is a test or belongs to tests, by name alone. */
export function isTestPath(path: string): boolean {
  return TEST_FOLDERS.test(path) || TEST_FILES.some((pattern) => pattern.test(path));
}

/** True if a path steers a runner or a compiler, in any folder. */
export function isToolConfiguration(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return CONFIGURATION.some((pattern) => pattern.test(name));
}

/**
 * True if a path lies in a folder of installed dependencies. Caches of known tools do not count, because they write to them while
 * tests run.
 */
export function isDependency(path: string): boolean {
  const names = path.split("/");
  return DEPENDENCY_FILES.test(names.at(-1) ?? "") || (dependencyAt(names) !== -1 && !isCache(path));
}

/** The index of the path's first name that is a folder of dependencies; -1 if none is. */
function dependencyAt(names: readonly string[]): number {
  return names.findIndex((name, n) => DEPENDENCIES.test(name) && (n === 0 || !/^(?:deps|vendor)$/.test(name)));
}

function isCache(path: string): boolean {
  return path.split("/").some((name, n, names) => names[n - 1] === "node_modules" && CACHES.test(name));
}

/** An entry that did not exist before a command ran. */
export interface NewEntry {
  readonly path: string;
  /** The names in it; undefined for a file. */
  readonly entries: readonly string[] | undefined;
  /** The earlier names in the same folder. */
  readonly siblings: readonly string[];
}

/** True if a program may load a new entry instead of an old one. */
export function canShadow({ path, entries, siblings }: NewEntry): boolean {
  const names = path.split("/");
  const name = names.at(-1) ?? "";
  const isOfCaches = entries !== undefined && entries.length > 0 && entries.every((each) => CACHES.test(each));
  if (isCache(path) || (name === "node_modules" && isOfCaches)) return false;
  if (name === "__pycache__") return true;
  // A command may install its own dependencies if there are none.
  if (dependencyAt(names) === names.length - 1) return names.length > 1;
  if (isDependency(path)) return true;
  if (entries !== undefined)
    return entries.some((each) => each.startsWith("__init__.") || (name.startsWith(".") && isToolConfiguration(each)));
  if (SEARCH_PATH_FILES.test(name) || (isToolConfiguration(path) && !GENERATED.test(name))) return true;
  return siblings.some((each) => each !== name && isFoundBefore(name, each));
}

/** True if a program that names a module without its extension may find `name` before `other`. */
function isFoundBefore(name: string, other: string): boolean {
  if (stripModuleExtension(name) !== stripModuleExtension(other)) return false;
  return CODE.test(name) || (name.endsWith(".json") ? !CODE.test(other) : CODE.test(other));
}

function stripModuleExtension(name: string): string {
  return name.replace(/\.(?:[cm]?[jt]sx?|json|node|wasm|rb)$/, "");
}
