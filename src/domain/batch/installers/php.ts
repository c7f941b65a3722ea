import { readCommandLine } from "./command-line.ts";
import type { Installer } from "./installer.ts";

/** `composer install`. */
export const COMPOSER: Installer = {
  names: ["composer.json", "composer.lock", "auth.json"],
  programs: ["php"],
  parse(args) {
    const flags = /^(?:-n|-q|--(?:no-scripts|no-plugins|no-interaction|no-progress|no-dev|prefer-dist|quiet|no-ansi))$/;
    const line = readCommandLine(args, { flags });
    const runsNothingElse = ["--no-scripts", "--no-plugins"].every((word) => args.includes(word));
    return runsNothingElse && line?.words.join() === "install" ? {} : undefined;
  },
};
