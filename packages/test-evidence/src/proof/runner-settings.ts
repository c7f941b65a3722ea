import { basename } from "node:path/posix";
import { jsonMembers } from "@loopdash/values";

/** Files that configure how tests are run, and nothing else that a repository needs. */
const RUNNER_FILES: readonly RegExp[] = [
  /^(?:\.?pytest\.(?:ini|toml)|tox\.ini|conftest\.py|nextest\.toml|bunfig\.toml|phpunit[\w.-]*\.xml(?:\.dist)?)$/,
  /^(?:vite|vitest|jest|karma|playwright|ava|babel)[.-](?:config|conf|setup|workspace|projects?|preset|globals?)\b[\w.-]*\.(?:[cm]?[jt]s|json)$/,
  /^\.(?:mocharc|rspec|taprc|nycrc|c8rc|babelrc|swcrc|coveragerc)[\w.-]*$/,
];

/** Mocks that runners find by their folder, metadata that names plugins to Python, and compiled code for Python. */
const RUNNER_PATHS = /(?:^|\/)(?:__mocks__|[^/]+\.(?:dist|egg)-info)\/|\.(?:pth|egg-link|py[cod]|so)$/i;

/** True if a file configures a test runner. */
export function isRunnerFile(path: string): boolean {
  return RUNNER_FILES.some((pattern) => pattern.test(basename(path))) || RUNNER_PATHS.test(path);
}

/** True if a file has settings of a test runner beside others. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|\.npmrc|\.cargo\/config(?:\.toml)?)$/.test(path);
}

/** Members of a package.json that say what the package is and needs, not how a program works on it. */
const OF_PACKAGE =
  /^(?:name|version|description|keywords|homepage|bugs|license|author|contributors|funding|files|main|module|browser|bin|man|directories|repository|exports|imports|types|typings|typesVersions|source|unpkg|jsdelivr|react-native|sideEffects|scripts|workspaces|engines|os|cpu|libc|private|publishConfig|type|packageManager|(?:dev|peer|optional|bundled?)?dependencies(?:Meta)?|overrides|resolutions)$/i;

/** Sections of other settings that say the same. */
const SECTIONS_OF_PACKAGE =
  /^\[\[?\s*["']?(?:project|build-system|dependency-groups|metadata|options|registr|net|source|http|cargo-new)\b|^\[\[?tool\.(?:poetry|pdm|uv|setuptools|hatch\.(?:build|version|metadata)|black|ruff|isort|mypy)\b/;

/** Keys of an .npmrc that say where packages come from. */
const NPM_SOURCES =
  /^\s*(?:(?:@[\w.-]+:)?registry|fund|audit|save[\w-]*|engine-strict|loglevel|progress|package-lock|always-auth|\/\/(?:[^=]*[^=\s])?)\s*=/;

/** The part of a manifest by which programs work on the package: of a package.json its other members, as JSON. */
export function runnerPart(path: string, text: string): string {
  const name = basename(path);
  if (name === "package.json")
    return JSON.stringify(
      Object.entries(jsonMembers(text)).filter(([key]) => !OF_PACKAGE.test(key)),
      undefined,
      1,
    );
  const lines = text.split(/\r\n|\r|\n/).filter((line) => !/^\s*(?:[;#]|$)/.test(line));
  if (name === ".npmrc") return lines.filter((line) => !NPM_SOURCES.test(line)).join("\n");
  let isPart = true;
  const part = lines.filter((line) => {
    if (line.trimStart().startsWith("[")) isPart = !SECTIONS_OF_PACKAGE.test(line.trim());
    return isPart;
  });
  return part.join("\n");
}
