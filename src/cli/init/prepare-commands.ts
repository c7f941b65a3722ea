import { HostSpec } from "@loopdash/model-gateway";
import { jsonMembers } from "@loopdash/values";
import type { Argv } from "../../domain/batch/prepare-command.ts";
import { notIgnoredBy } from "../../domain/batch/prepare-makes.ts";
import { findPackageManager, namesPackages, TEST_COMMAND_FILES } from "../../domain/batch/test-command.ts";

/** The files at the top of a repository that tell how its packages are installed. */
export const PREPARE_FILES = [
  ...TEST_COMMAND_FILES,
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-workspace.yaml",
  ".yarnrc.yml",
  ".npmrc",
  "requirements.txt",
  "requirements-dev.txt",
  "uv.lock",
  ".gitignore",
] as const;

/** The texts of those files that a repository has. */
type PrepareFiles = ReadonlyMap<string, string>;

/** How a fresh checkout is made ready. */
export interface Preparation {
  readonly commands: readonly Argv[];
  /** Hosts that the commands need. */
  readonly hosts: readonly string[];
  /** What they make at the top of the checkout and `.gitignore` there does not name. */
  readonly notIgnored: readonly string[];
  /** The texts of the files by which this was found. */
  readonly files: PrepareFiles;
  /** The interpreter that the commands install packages for, if it is one of the checkout. */
  readonly python?: string;
}

/** Public registries, which may be opened because a repository names them. Any other is for a person to open. */
export const PUBLIC_REGISTRIES: ReadonlySet<string> = new Set([
  "registry.npmjs.org",
  "registry.yarnpkg.com",
  "pypi.org",
  "files.pythonhosted.org",
  "rubygems.org",
  "index.rubygems.org",
  "repo.packagist.org",
  "codeload.github.com",
]);

const PYPI = ["pypi.org", "files.pythonhosted.org"];
const PYTHON = ".venv/bin/python";

/** Other manifests: how their packages are installed into the checkout, and from which hosts. */
const INSTALLED: Readonly<Record<string, Pick<Preparation, "commands" | "hosts">>> = {
  Gemfile: {
    commands: [
      ["bundle", "config", "set", "--local", "path", "vendor/bundle"],
      ["bundle", "install"],
    ],
    hosts: ["rubygems.org", "index.rubygems.org"],
  },
  "composer.json": {
    commands: [["composer", "install"]],
    hosts: ["repo.packagist.org", "api.github.com", "codeload.github.com"],
  },
};

/** The commands that install a repository's packages, by its manifests and lockfiles: npm, pnpm, yarn, bun, uv, pip, Bundler and Composer. */
export function preparationOf(files: PrepareFiles): Preparation {
  const node = nodeCommand(files);
  const python = pythonCommands(files);
  const others = Object.keys(INSTALLED).flatMap((name) => (files.has(name) ? (INSTALLED[name] ?? []) : []));
  const commands = [...(node === undefined ? [] : [node]), ...python, ...others.flatMap((each) => each.commands)];
  return {
    commands,
    hosts: [
      ...(node === undefined ? [] : registriesOf(files)),
      ...(python.length > 0 ? PYPI : []),
      ...others.flatMap((each) => each.hosts),
    ],
    notIgnored: notIgnoredBy(commands, files),
    files,
    ...(python.length > 0 && { python: PYTHON }),
  };
}

function nodeCommand(files: PrepareFiles): Argv | undefined {
  const manifest = files.get("package.json");
  if (manifest === undefined) return undefined;
  const hasWorkspaces = jsonMembers(manifest)["workspaces"] !== undefined || files.has("pnpm-workspace.yaml");
  if (!namesPackages(manifest) && !hasWorkspaces) return undefined;
  switch (findPackageManager(files)) {
    case "pnpm":
      return ["pnpm", "install", "--frozen-lockfile"];
    case "yarn":
      return ["yarn", "install", isModernYarn(files, manifest) ? "--immutable" : "--frozen-lockfile"];
    case "bun":
      return ["bun", "install", "--frozen-lockfile"];
    case "npm":
      return ["npm", files.has("package-lock.json") || files.has("npm-shrinkwrap.json") ? "ci" : "install"];
  }
}

/** Yarn 2 renamed the option, and gave its settings another file (yarnpkg.com/migration/guide). */
function isModernYarn(files: PrepareFiles, manifest: string): boolean {
  const { packageManager } = jsonMembers(manifest);
  return files.has(".yarnrc.yml") || (typeof packageManager === "string" && /^yarn@(?!1\.)/.test(packageManager));
}

/** The host of the registry that the repository names, else the public one. Lockfiles of yarn name its own whatever `.npmrc` says. */
function registriesOf(files: PrepareFiles): readonly string[] {
  const named = /^[^\S\r\n\u2028\u2029]*registry\s*=\s*"?(https:\/\/[^\s"]+)/m.exec(files.get(".npmrc") ?? "")?.[1] ?? "";
  const hosts = URL.canParse(named) && HostSpec.safeParse(new URL(named).host).success ? [new URL(named).host] : [];
  if (findPackageManager(files) === "yarn") return [...new Set([...hosts, "registry.yarnpkg.com"])];
  return hosts.length > 0 ? hosts : ["registry.npmjs.org"];
}

function pythonCommands(files: PrepareFiles): readonly Argv[] {
  if (files.has("uv.lock")) return [["uv", "sync", "--frozen"]];
  const lists = ["requirements.txt", "requirements-dev.txt"].filter((name) => files.has(name));
  if (lists.length === 0) return [];
  return [
    ["python3", "-m", "venv", ".venv"],
    [".venv/bin/pip", "install", ...lists.flatMap((name) => ["-r", name])],
  ];
}
