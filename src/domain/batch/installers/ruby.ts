import { type Installer, readCommandLine } from "./command-line.ts";

/** `bundle install`. */
export const BUNDLE: Installer = {
  names: ["Gemfile", "Gemfile.lock", "*.gemspec"],
  folders: [".bundle"],
  programs: ["ruby"],
  parse(args) {
    const line = readCommandLine(args, {
      flags: /^--(?:quiet|no-color|verbose)$/,
      valued: { "--jobs": /^\d+$/, "--retry": /^\d+$/ },
    });
    return line?.words.join() === "install" ? {} : undefined;
  },
  lockfiles: ["Gemfile.lock"],
};
