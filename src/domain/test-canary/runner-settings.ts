import { basename, dirname } from "node:path/posix";

/** Files that configure how tests are run, and nothing else that a repository needs. */
const RUNNER_FILES: readonly RegExp[] = [
  /^(?:\.?pytest\.(?:ini|toml)|tox\.ini|conftest\.py|nextest\.toml)$/,
  /^(?:vite|vitest|jest|karma|playwright|ava|babel)[.-](?:config|conf|setup|workspace|projects?|preset|globals?)\b[\w.-]*\.(?:[cm]?[jt]s|json)$/,
  /^\.(?:mocharc|taprc|nycrc|c8rc|babelrc|swcrc|coveragerc)[\w.-]*$/,
];

/** Mocks that runners find by their folder, metadata that names plugins to Python, and compiled code for Python. */
const RUNNER_PATHS = /(?:^|\/)(?:__mocks__|[^/]+\.(?:dist|egg)-info)\/|\.(?:pth|egg-link|py[cod]|so)$/i;

/** True if a file configures a test runner. */
export function isRunnerFile(path: string): boolean {
  const name = basename(path);
  return RUNNER_FILES.some((pattern) => pattern.test(name)) || RUNNER_PATHS.test(path);
}

/** The plugins that pytest's settings or a conftest.py name, as modules. */
export function pluginsNamedBy(text: string): readonly string[] {
  const options = [...text.matchAll(/(?:^|[\s"'=,])-p[ =]{0,4}([\w.]{1,200})/gm)].map(([, name = ""]) => name);
  const lists = [...text.matchAll(/^[ \t]{0,8}pytest_plugins[ \t]{0,8}=([^\n]{0,2000}(?:\n[ \t)\]]{1,40}[^\n]{0,400}){0,50})/gm)];
  const listed = lists.flatMap(([, list = ""]) => [...list.matchAll(/["']([\w.]{1,200})["']/g)].map(([, name = ""]) => name));
  return [...options, ...listed];
}

/** Sections of test settings within a file of other settings, by their headers, and words of such settings outside of them. */
interface Sections {
  readonly header: RegExp;
  readonly elsewhere: RegExp;
}

const PYTEST_WORDS = /ini_options|tool:pytest|addopts/;

/** Environment, flags, aliases and programs that run tests. https://doc.rust-lang.org/cargo/reference/config.html */
const CARGO: Sections = {
  header: /^\[\[?(?:env|alias|build|target|host|profile|unstable|include)\b/,
  elsewhere: /^(?:env|alias|build|target|host|profile|unstable|include)[.=]/m,
};

const SECTIONS: Readonly<Record<string, Sections>> = {
  "pyproject.toml": { header: /^\[tool\.(?:pytest|coverage)\b/, elsewhere: PYTEST_WORDS },
  "setup.cfg": { header: /^\[(?:tool:pytest|coverage:)/, elsewhere: PYTEST_WORDS },
};

/** Keys of an .npmrc that decide how npm and pnpm run scripts, and keys that are written in an unusual way. */
const NPM_KEYS =
  /^(?:node-options|script-shell|shell-emulator|ignore-scripts|if-present|enable-pre-post-scripts|scripts-prepend-node-path|unsafe-perm|prefix|workspaces?|include-workspace-root|(?:user|global|builtin)?config)$|["'\\$]/;

/** True if a file has settings of a test runner beside others. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|\.npmrc|\.cargo\/config(?:\.toml)?)$/.test(path);
}

function sectionsOf(path: string): Sections | undefined {
  const name = basename(path);
  if (basename(dirname(path)) === ".cargo") return isManifest(path) ? CARGO : undefined;
  return Object.hasOwn(SECTIONS, name) ? SECTIONS[name] : undefined;
}

const KEYS = ["jest", "vitest", "mocha", "ava", "tap", "nyc", "c8", "babel"] as const;

/** The part of trusted settings that names files of a runner: of a package.json, its keys; of others, the whole text. */
export function runnerPartOf(path: string, text: string): string {
  if (basename(path) !== "package.json") return text;
  const all = objectIn(text) ?? {};
  return JSON.stringify(Object.fromEntries(KEYS.map((key) => [key, all[key]])), undefined, 1);
}

/**
 * A file of the candidate with the base's settings of test runners; undefined if it has none, or they are the same. `base` is
 * undefined if the base does not have the file. If those settings cannot be parsed, it is the base's whole file.
 */
export function withRunnerPartOf(path: string, candidate: string, base: string | undefined): string | undefined {
  const name = basename(path);
  if (name === "package.json") return withKeysOf(candidate, base);
  if (name === ".npmrc") return withNpmKeysOf(candidate, base ?? "");
  const sections = sectionsOf(path);
  if (sections === undefined) return undefined;
  const [own, old] = [sectionsIn(candidate, sections.header), sectionsIn(base ?? "", sections.header)];
  if (sections.elsewhere.test(squeezed(own.outside)) && squeezed(own.outside) !== squeezed(old.outside)) return base ?? "";
  if (own.inside === old.inside) return undefined;
  return `${own.outside}${own.outside.endsWith("\n") || own.outside === "" ? "" : "\n"}${old.inside}`;
}

/** The sections with such headers, and all others, each in their order. */
function sectionsIn(text: string, header: RegExp): { readonly inside: string; readonly outside: string } {
  const parts = { inside: "", outside: "" };
  let at: keyof typeof parts = "outside";
  for (const line of text.split(/(?<=\n|\r(?!\n))/)) {
    const start = squeezed(line);
    if (start.startsWith("[")) at = header.test(start) ? "inside" : "outside";
    parts[at] += line;
  }
  return parts;
}

/** Without blanks and quotes, which TOML allows within a header, and without escapes. */
function squeezed(text: string): string {
  return text.replace(ESCAPE, fromEscape).replace(/[ \t"']/g, "");
}

/** Characters in ASCII, by their code points: https://toml.io/en/v1.1.0#string */
const ESCAPE = /\\(?:u00([0-7][\da-f])|U000000([0-7][\da-f])|x([0-7][\da-f]))/gi;

function fromEscape(_: string, ...codes: readonly (string | undefined)[]): string {
  return String.fromCharCode(Number.parseInt(codes.slice(0, 3).find((code) => code !== undefined) ?? "", 16));
}

function withKeysOf(candidate: string, base: string | undefined): string | undefined {
  const [own, old] = [objectIn(candidate), objectIn(base ?? "{}")];
  if (own === undefined || old === undefined) return undefined;
  if (KEYS.every((key) => JSON.stringify(own[key]) === JSON.stringify(old[key]))) return undefined;
  const rest = Object.entries(own).filter(([key]) => !KEYS.some((each) => each === key));
  const kept = KEYS.flatMap((key) => (Object.hasOwn(old, key) ? [[key, old[key]] as const] : []));
  return `${JSON.stringify(Object.fromEntries([...rest, ...kept]), undefined, 2)}\n`;
}

/** Lines of npm's own settings: https://github.com/npm/ini. A key may have `[]` behind it; comments begin with `;` or `#`. */
function withNpmKeysOf(candidate: string, base: string): string | undefined {
  const isOfRunner = (line: string): boolean => NPM_KEYS.test((line.split("=")[0] ?? "").trim().replace(/\[\]$/, ""));
  const lines = (text: string) => text.split(/[\r\n]+/g).filter((line) => !/^\s*(?:[;#]|$)/.test(line));
  const old = lines(base).filter(isOfRunner);
  const own = lines(candidate);
  if (own.filter(isOfRunner).join("\n") === old.join("\n")) return undefined;
  // A section would take the lines below it in.
  return [...old, ...own.filter((line) => !isOfRunner(line)), ""].join("\n");
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
