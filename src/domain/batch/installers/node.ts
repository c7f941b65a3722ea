import { basename, type Installer, type InstallerCall, readCommandLine } from "./command-line.ts";

const NAMES = [
  ...["package.json", ".npmrc", "npm-shrinkwrap.json", "package-lock.json", "binding.gyp"],
  ...["pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"],
  ...["yarn.lock", ".yarnrc", ".yarnrc.yml", "bun.lock", "bun.lockb", "bunfig.toml"],
];

const WORD = /^[a-z-]+$/;
const NUMBER = /^\d+$/;
const OPTIONS = {
  flags: new RegExp(
    `^(?:-s|-q|-P|--(?:${[
      ...["ignore-scripts", "foreground-scripts", "offline", "prefer-offline", "prefer-online", "prefer-frozen-lockfile"],
      ...["frozen-lockfile", "pure-lockfile", "immutable", "immutable-cache", "check-cache", "inline-builds"],
      ...["legacy-peer-deps", "strict-peer-deps", "engine-strict", "production", "prod", "workspaces", "include-workspace-root"],
      ...["silent", "quiet", "verbose", "non-interactive", "no-(?:audit|fund|progress|optional|save|color|update-notifier)"],
      "(?:audit|fund|progress|color|update-notifier)=false",
    ].join("|")}))$`,
  ),
  valued: {
    ...{ "--omit": WORD, "--include": WORD, "--loglevel": WORD, "--reporter": WORD, "--mode": /^skip-build$/ },
    ...{ "--maxsockets": NUMBER, "--fetch-retries": NUMBER, "--fetch-timeout": NUMBER, "--network-timeout": NUMBER },
    ...{ "--install-strategy": /^(?:hoisted|nested|shallow)$/, "--registry": /^https?:\/\// },
  },
};

function parseNpmInstall(args: readonly string[]): InstallerCall | undefined {
  const line = readCommandLine(args, OPTIONS);
  const verbs = ["ci", "i", "install", "clean-install"];
  if (line?.words.length !== 1 || !verbs.includes(line.words[0] ?? "")) return undefined;
  return { runsNoScripts: args.includes("--ignore-scripts") || args.some((word) => word.includes("skip-build")) };
}

const NODE: Installer = { names: NAMES, folders: [".yarn", "patches"], programs: ["node"], parse: parseNpmInstall };

/** The call, if it runs no scripts of packages. Their lockfiles do not say which packages have some, which may read any file. */
function withoutScripts(args: readonly string[]): InstallerCall | undefined {
  const call = parseNpmInstall(args);
  return call?.runsNoScripts === true ? call : undefined;
}

export const NPM: Installer = { ...NODE, lockfiles: ["package-lock.json", "npm-shrinkwrap.json"], listsScripts: true };

export const BUN: Installer = { ...NODE, parse: withoutScripts, lockfiles: ["bun.lock", "bun.lockb"] };

/** Lockfiles of version 5 and 6 say which packages have scripts (`requiresBuild`); those of version 9 do not. */
export const PNPM: Installer = {
  ...NODE,
  parse(args) {
    const call = parseNpmInstall(args);
    return call?.runsNoScripts === true || args.includes("--frozen-lockfile") ? call : undefined;
  },
  lockfiles: ["pnpm-lock.yaml"],
  trouble({ paths, text }, { runsNoScripts }) {
    if (runsNoScripts === true) return undefined;
    for (const path of paths.filter((each) => basename(each) === "pnpm-lock.yaml")) {
      const lock = text(path) ?? "";
      if (!/^lockfileVersion:\s*['"]?[56]\.\d+['"]?\s*$/m.test(lock))
        return `${path} does not say which packages have install scripts`;
      if (/^[^\S\r\n\u2028\u2029]*\srequiresBuild:\s*true/m.test(lock)) return `${path} has a package with an install script`;
    }
    return undefined;
  },
};

/**
 * Without an option, packages have no scripts run if the settings say so
 * (https://yarnpkg.com/configuration/yarnrc#enableScripts).
 */
export const YARN: Installer = {
  ...NODE,
  parse(args) {
    const call = parseNpmInstall(args.length > 0 && args.every((word) => word.startsWith("-")) ? ["install", ...args] : args);
    return call?.runsNoScripts === true || args.includes("--immutable") ? call : undefined;
  },
  lockfiles: ["yarn.lock"],
  trouble({ paths, text }, { runsNoScripts }) {
    if (runsNoScripts === true) return undefined;
    if (!/^enableScripts:\s*false\s*$/m.test(text(".yarnrc.yml") ?? "") || !/^__metadata:/m.test(text("yarn.lock") ?? ""))
      return "packages may have install scripts: no .yarnrc.yml has enableScripts: false";
    const built = paths.find((path) => basename(path) === "package.json" && /"built"\s*:\s*true/.test(text(path) ?? ""));
    return built === undefined ? undefined : `${built} has a package run its install script`;
  },
};
