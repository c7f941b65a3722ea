import { requirementsTrouble } from "./installers/requirements.ts";

/** The scripts of a package that its own installation runs (https://docs.npmjs.com/cli/using-npm/scripts, "npm ci"). */
const LIFECYCLE = [
  ...["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"],
  ...["predependencies", "dependencies", "postdependencies", "pnpm:devPreinstall"],
];

/** Packages whose install scripts only place or compile their own binaries. Others (prisma) read files of the repository. */
const OWN_BINARIES = new Set([
  "@parcel/watcher",
  "@swc/core",
  "better-sqlite3",
  "bufferutil",
  "core-js",
  "core-js-pure",
  "esbuild",
  "fsevents",
  "sharp",
  "unrs-resolver",
  "utf-8-validate",
]);

/** Dependencies that are folders or archives of the repository itself, in any manifest or lockfile. */
const LOCAL = /["'\s@=](?:file|link|portal|exec|path):|(?:^|[^\w-])(?:path|directory)["']?\s*[:=]/im;

/** A key of JSON, YAML or TOML that the expressions below would not recognise. */
const ESCAPED_KEY = /"[^"\n]*\\[ux][0-9a-f]{2}[^"\n]*"\s*[:=]/i;

/** Files that are programs: what they read is unknown. */
const PROGRAMS = new Set([".pnpmfile.cjs", ".pnpmfile.mjs", "binding.gyp"]);

/**
 * The reason why an installer that reads this manifest may run or read anything else of the repository; undefined if it does not.
 * A manifest that cannot be read counts as one that may. `runsScripts` is false if the installer is told to run no scripts of
 * packages. `requirementFiles` are those of pip among the inputs.
 */
export function manifestTrouble(
  path: string,
  text: string | undefined,
  {
    runsScripts,
    requirementFiles = new Set(),
  }: { readonly runsScripts: boolean; readonly requirementFiles?: ReadonlySet<string> },
): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (PROGRAMS.has(name)) return "is a program";
  if (requirementFiles.has(path))
    return text === undefined ? "cannot be read" : requirementsTrouble(path, text, requirementFiles);
  if (name === ".tool-versions") return toolTrouble(text);
  // Tools' own version files and binary lockfiles say nothing about further files.
  if (!/\.(?:json|ya?ml|toml|txt|in|lock|rc|gemspec)$|^\.(?:npmrc|yarnrc)|^Gemfile$/.test(name)) return undefined;
  if (text === undefined) return "cannot be read";
  if (name === "package.json") return packageTrouble(path, text, runsScripts);
  if (LOCKFILES.has(name)) return lockTrouble(text, runsScripts);
  if (name === "Gemfile" || name.endsWith(".gemspec")) return rubyTrouble(name, text);
  if (name === "pnpm-workspace.yaml" && hasOtherPatches(text)) return OTHER_PATCH;
  return settingsTrouble(path, text);
}

/** asdf takes a folder or a commit in place of a version. */
function toolTrouble(text: string | undefined): string | undefined {
  return text === undefined || /\s(?:path|ref):/.test(text) ? "names a folder or a commit" : undefined;
}

function settingsTrouble(path: string, text: string): string | undefined {
  const further = FURTHER.find(([paths]) => paths.test(path))?.[1];
  if ((further?.test(text) ?? false) || LOCAL.test(text)) return "names a folder or an archive of the repository";
  return ESCAPED_KEY.test(text) ? "spells a key in escapes" : undefined;
}

const LOCKFILES = new Set(["package-lock.json", "npm-shrinkwrap.json"]);

/** Settings that have further files read or run, by the paths of the files that hold them. */
const FURTHER: readonly (readonly [paths: RegExp, settings: RegExp])[] = [
  [
    /(?:^|\/)\.npmrc$/,
    /node-options|script-shell|config|prefix|install-links|node-gyp|pnpm-?file|^[^\S\r\n\u2028\u2029]*(?:git|cache|cafile)\s*=/im,
  ],
  // A value that begins with a point or a slash is a folder or an archive.
  [
    /(?:^|\/)pnpm-workspace\.yaml$/,
    /pnpmfile|node-?options|script-?shell|configDependencies|^[^\S\r\n\u2028\u2029]*\s[^\s#-].*:\s*["']?(?!\.\/(?:[^/\s]+\/)*patches\/)(?:\.|~?\/)/im,
  ],
  // To make a class map, composer reads all classes.
  [
    /(?:^|\/)composer\.json$/,
    /"(?:classmap|files)"\s*:|"(?:optimize-autoloader|classmap-authoritative)"\s*:\s*true|"cache-(?:\w+-)?dir"/,
  ],
  [/(?:^|\/)\.yarnrc/, /plugins|yarn-?path|offline-mirror/i],
  [
    /(?:^|\/)\.?mise(?:\..*)?\.toml$|(?:^|\/)\.?mise\/(?:config(?:\..*)?|conf\.d\/.*)\.toml$/,
    /_\.|hooks|exec\(|^[^\S\r\n\u2028\u2029]*_\s*=|\[\s*env\s*\.\s*_/m,
  ],
];

const OTHER_PATCH = "names a patch outside of a folder patches";
/** A patch that is an input, because its folder is called `patches`. */
const PATCH = /^(?:\.\/)?(?!.*\.\.(?:\/|$))(?:[^/]+\/)*patches\/[^/]/;

/** True if patches of this manifest may be no inputs: pnpm and bun take them from any path. */
function hasOtherPatches(yaml: string): boolean {
  const [, ...lines] = /^["']?patchedDependencies\b.*(?:\n(?:[ \t].*|[ \t]*|#.*))*/m.exec(yaml)?.[0].split("\n") ?? [];
  const values = lines.flatMap((line) =>
    /^\s*(?:#.*)?$/.test(line) ? [] : (/:\s+["']?([^"'\s]+)["']?\s*$/.exec(line)?.[1] ?? ""),
  );
  const named = yaml.match(/patchedDependencies/g)?.length ?? 0;
  return named > 0 && (named > 1 || values.length === 0 || !values.every((value) => PATCH.test(value)));
}

function listPatches(manifest: Readonly<Record<string, unknown>>): readonly unknown[] {
  const places = [manifest, isRecord(manifest["pnpm"]) ? manifest["pnpm"] : {}];
  return places.flatMap(({ patchedDependencies: patches = {} }) => (isRecord(patches) ? Object.values(patches) : [patches]));
}

function packageTrouble(path: string, text: string, runsScripts: boolean): string | undefined {
  const found = parsed(text);
  if (found === undefined) return "is not valid JSON";
  const scripts = isRecord(found["scripts"]) ? found["scripts"] : {};
  const script = LIFECYCLE.find((each) => Object.hasOwn(scripts, each));
  if (script !== undefined && runsScripts) return `has a script "${script}"`;
  // npm makes the programs of a workspace executable and changes their line ends.
  if (path !== "package.json" && (found["bin"] !== undefined || found["directories"] !== undefined))
    return "names programs of the package";
  if (!listPatches(found).every((patch) => typeof patch === "string" && PATCH.test(patch))) return OTHER_PATCH;
  // A version that begins with a point or a slash is a folder, one that ends like an archive is a file (npm-package-arg).
  return /"(?:file|link|portal|exec|patch):|"(?:\.|~?\/)|\.(?:tgz|tar|tar\.gz)"/i.test(JSON.stringify(dependencyEntries(found)))
    ? "names a folder or an archive of the repository"
    : undefined;
}

function dependencyEntries(manifest: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(manifest).filter(([key]) => /dependencies|overrides|resolutions|pnpm|packageManager/i.test(key));
}

/** Files in which npm lists the packages that it has installed. The first that exists counts: npm makes no folder for no packages. */
export const INSTALLED_LISTS = ["node_modules/.package-lock.json", "package-lock.json"];

/** The reason why an installation without a lockfile may have read any file, by the list that npm left of it. */
export function installedTrouble(list: string): string | undefined {
  const trouble = list === "" ? "npm has left no list of what it has installed" : lockTrouble(list, true);
  return trouble?.replace(/^has /, "npm has installed ");
}

/** A lockfile names the workspaces as links; every other package must come from a registry or a host. */
function lockTrouble(text: string, runsScripts: boolean): string | undefined {
  const found = parsed(text);
  if (found === undefined) return "is not valid JSON";
  const packages = isRecord(found["packages"]) ? Object.entries(found["packages"]) : undefined;
  if (packages === undefined) return "has a format of old versions";
  for (const [place, each] of packages) {
    if (!isRecord(each)) return "has an unknown format";
    if (typeof each["resolved"] === "string" && /^file:/i.test(each["resolved"])) return "names an archive of the repository";
    if (!runsScripts || each["hasInstallScript"] !== true || place === "") continue;
    const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
    if (!OWN_BINARIES.has(name)) return `has a package with an install script: ${name}`;
  }
  return undefined;
}

/** A Gemfile is a program. Lines that only name gems, sources, groups and versions read nothing else. */
function rubyTrouble(name: string, text: string): string | undefined {
  if (name !== "Gemfile") return "is a program";
  const isPlain = (line: string): boolean =>
    /^(?:#.*|(?:gem|source|ruby|group|end)\b[^`#{(|&;$]*)?$/.test(line.trim()) &&
    !/path|eval|file|gemspec|require(?!: (?:false|true|\[?["'])|d)/i.test(line);
  return text.split("\n").every(isPlain) ? undefined : "is a program that may read any file";
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
