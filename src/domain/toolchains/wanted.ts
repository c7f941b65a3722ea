import { jsonMembers, objectMembers } from "@loopdash/values";
import { beginsWith, compareVersions, isInRange, versionNumbers } from "./version-range.ts";

export const TOOLS = ["node", "python", "rust", "go", "ruby"] as const;
export type Tool = (typeof TOOLS)[number];

/** The files at the top of a repository that say which toolchains it wants, the more binding ones first. */
export const TOOLCHAIN_FILES = [
  ".nvmrc",
  ".node-version",
  ".python-version",
  ".ruby-version",
  // With both, rustup takes this one (the rustup book, "The toolchain file").
  "rust-toolchain",
  "rust-toolchain.toml",
  ".tool-versions",
  "mise.toml",
  ".mise.toml",
  "package.json",
  "go.mod",
] as const;
type Name = (typeof TOOLCHAIN_FILES)[number];

/** A toolchain that a repository wants. */
export interface WantedTool {
  readonly tool: Tool;
  /** As the file says it: `20`, `lts/iron`, `>=18`, `stable`. */
  readonly wants: string;
  readonly file: string;
  /** True for a version that it begins with or equals, false for a range (npm's syntax). */
  readonly isPin: boolean;
}

/** Other names of the tools in .tool-versions and mise.toml. */
const NAMES: Readonly<Record<string, Tool>> = { nodejs: "node", node: "node", python: "python", rust: "rust" };
const MORE_NAMES: Readonly<Record<string, Tool>> = { golang: "go", go: "go", ruby: "ruby" };

/** Files that pin one tool by their first line. */
const ONE_LINE: Readonly<Partial<Record<Name, Tool>>> = {
  ".nvmrc": "node",
  ".node-version": "node",
  ".python-version": "python",
  ".ruby-version": "ruby",
};

/** What a repository wants, at most one version per tool: that of the most binding file. */
export function wantedTools(files: ReadonlyMap<string, string>): readonly WantedTool[] {
  const found = TOOLCHAIN_FILES.flatMap((name) => {
    const text = files.get(name);
    return text === undefined ? [] : wantedIn(name, text.slice(0, 64 * 1024)).map((each) => ({ ...each, file: name }));
  }).filter(({ wants }) => wants !== "" && wants !== "system" && wants.length <= 80);
  return TOOLS.flatMap((tool) => found.find((each) => each.tool === tool) ?? []);
}

function wantedIn(name: Name, text: string): readonly Omit<WantedTool, "file">[] {
  const pin = (tool: Tool | undefined, wants: string | undefined) =>
    tool === undefined || wants === undefined ? [] : [{ tool, wants: wants.trim(), isPin: true }];
  const one = ONE_LINE[name];
  if (one !== undefined) return pin(one, firstLine(text).replace(/^ruby-/, ""));
  switch (name) {
    case "rust-toolchain.toml":
    case "rust-toolchain":
      return pin(
        "rust",
        /^[^\S\r\n\u2028\u2029]*channel\s*=\s*["']([^"'\n]+)["']/m.exec(text)?.[1] ??
          (text.includes("[") ? undefined : firstLine(text)),
      );
    case ".tool-versions":
      return [...text.matchAll(/^[^\S\r\n\u2028\u2029]*([\w-]+)[^\S\n]+([^\s#]+)/gm)].flatMap(([, key, wants]) =>
        pin(toolNamed(key), wants),
      );
    case "mise.toml":
    case ".mise.toml":
      return [...toolsTable(text).matchAll(/^[^\S\r\n\u2028\u2029]*"?([\w-]+)"?\s*=\s*["']([^"'\n]+)["']/gm)].flatMap(
        ([, key, wants]) => pin(toolNamed(key), wants),
      );
    case "package.json":
      return ofManifest(text);
    case "go.mod": {
      const [, version] = /^toolchain\s+go(\d[\d.]*)/m.exec(text) ?? /^go\s+(\d[\d.]*)/m.exec(text) ?? [];
      // A line of go.mod is a minimum (go.dev/doc/toolchain).
      return version === undefined ? [] : [{ tool: "go", wants: `>=${version}`, isPin: false }];
    }
    default:
      return [];
  }
}

/** The table [tools] of a TOML text. */
function toolsTable(text: string): string {
  return text.split(/^[^\S\r\n\u2028\u2029]*\[/m).find((part) => part.startsWith("tools]")) ?? "";
}

function toolNamed(key: string | undefined): Tool | undefined {
  return key === undefined ? undefined : (NAMES[key] ?? MORE_NAMES[key]);
}

function firstLine(text: string): string {
  return (text.split("\n").find((line) => line.trim() !== "" && !line.trim().startsWith("#")) ?? "").trim();
}

/** Volta's pin, else `engines` (docs.npmjs.com/cli/configuring-npm/package-json). */
function ofManifest(text: string): readonly Omit<WantedTool, "file">[] {
  const manifest = jsonMembers(text);
  const nodeIn = (key: string): string | undefined => {
    const part = objectMembers(manifest[key])["node"];
    return typeof part === "string" ? part.trim() : undefined;
  };
  const [pin, range] = [nodeIn("volta"), nodeIn("engines")];
  if (pin !== undefined) return [{ tool: "node", wants: pin, isPin: true }];
  return range === undefined ? [] : [{ tool: "node", wants: range, isPin: false }];
}

/** Names of Node's long-term lines (nodejs.org/en/about/previous-releases). */
const LTS: Readonly<Record<string, number>> = { fermium: 14, gallium: 16, hydrogen: 18, iron: 20, jod: 22, krypton: 24 };
const ANY = /^(?:node|latest|current|stable|\*)$/;

/** True if an installed version, named as its folder is (`v20.11.1`, `stable-x86_64-unknown-linux-gnu`), is what a file wants. */
export function isWanted({ tool, wants, isPin }: Omit<WantedTool, "file">, version: string): boolean {
  if (tool === "rust")
    return version === wants || version.startsWith(`${wants}-`) || isVersion(version.split("-")[0] ?? "", wants);
  const numbers = versionNumbers(version);
  if (numbers === undefined) return version === wants;
  if (tool === "node" && /^lts\b/.test(wants)) {
    const line = LTS[wants.slice(4).toLowerCase()];
    return line === undefined ? numbers[0] % 2 === 0 : numbers[0] === line;
  }
  if (ANY.test(wants)) return true;
  return isPin ? isVersion(version, wants) : isInRange(numbers, wants);
}

function isVersion(version: string, wants: string): boolean {
  const [has, wish] = [versionNumbers(version), versionNumbers(wants)];
  return has !== undefined && wish !== undefined && beginsWith(has, wish);
}

/** Puts the newest version first; names without numbers come last. */
export function newestFirst(a: string, b: string): number {
  const [first, second] = [versionNumbers(a.split("-")[0] ?? ""), versionNumbers(b.split("-")[0] ?? "")];
  if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined);
  return compareVersions(second, first);
}
