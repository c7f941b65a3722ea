import { basename, type Installer, parentFolder, pathWithin, readCommandLine } from "./command-line.ts";

const CARGO_OPTIONS = {
  flags: /^(?:-q|-v+|--(?:locked|frozen|offline|quiet|verbose|versioned-dirs|no-delete|respect-source-config))$/,
  valued: { "--target": /^[a-z0-9_-]+$/, "--color": /^\w+$/ },
};

/** Settings of cargo that are about servers alone. Others name folders, programs and further files. */
const CARGO_SETTING =
  /^\s*(?:#.*|\[(?:net|http|registry|term|registries\.[\w-]+|source\.[\w-]+)\]\s*|(?:retry|offline|git-fetch-with-cli|timeout|multiplexing|check-revoke|default|protocol|replace-with|quiet|verbose|color|progress\.\w+)\s*=\s*(?:[\w.]+|"[\w.-]+")\s*|(?:index|registry)\s*=\s*"(?:sparse\+)?https?:\/\/[^"]*"\s*)?$/;

/**
 * `cargo fetch` and `cargo vendor`. They compile nothing, so they run no build script. A manifest that names one still counts as
 * trouble.
 */
export const CARGO: Installer = {
  names: ["Cargo.toml", "Cargo.lock", "build.rs"],
  folders: [".cargo"],
  programs: ["rustc"],
  parse(args) {
    const line = readCommandLine(args, CARGO_OPTIONS);
    const [verb, ...words] = line?.words ?? [];
    if (verb === "fetch") return words.length === 0 ? {} : undefined;
    const folder = pathWithin(words[0] ?? "vendor");
    return verb === "vendor" && words.length <= 1 && folder !== undefined ? { outputFolders: [folder] } : undefined;
  },
  lockfiles: ["Cargo.lock"],
  trouble({ paths, text }) {
    for (const path of paths) {
      const isSettings = basename(parentFolder(path)) === ".cargo" && /^config(?:\.toml)?$/.test(basename(path));
      const lines = text(path)?.split("\n");
      if (isSettings && lines?.every((line) => CARGO_SETTING.test(line)) !== true)
        return `${path} may name a folder or a program`;
      if (basename(path) === "rust-toolchain" && /\bpath\b/.test(text(path) ?? "path")) return `${path} names a folder`;
      // An escape may hide a key that names a path.
      if (basename(path) === "Cargo.toml" && /^[^\S\r\n\u2028\u2029]*["']?build["']?\s*=|\\u/im.test(text(path) ?? "build="))
        return `${path} names a build script, or may hide a path`;
    }
    return undefined;
  },
};
