import { basename, type Installer, readCommandLine } from "./command-line.ts";

/** `go mod download`. `go mod vendor` reads every source file: it takes the packages that these import. */
export const GO: Installer = {
  names: ["go.mod", "go.sum", "go.work", "go.work.sum"],
  programs: [],
  parse(args) {
    const line = readCommandLine(args.slice(2), { flags: /^-(?:x|json)$/ });
    return args[0] === "mod" && args[1] === "download" && line?.words.length === 0 ? {} : undefined;
  },
  trouble({ paths, text }) {
    const isLocal = (path: string) =>
      /^go\.(?:mod|work)$/.test(basename(path)) && /=>\s*["`]?(?:\.|\/)/.test(text(path) ?? "=> .");
    const found = paths.find(isLocal);
    return found === undefined ? undefined : `${found} names a folder of the repository`;
  },
};
