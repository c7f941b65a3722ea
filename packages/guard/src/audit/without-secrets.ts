import { isSecretName } from "../shell/scope.ts";

const VALUE = `(?<value>"[^"]*"|'[^']*'|[^\\s"'&;|<>,)}]+)`;

/** Where credentials stand in a command line: by the name before them (if it is one of credentials), by their place, or by their form. */
const PATTERNS: readonly RegExp[] = [
  new RegExp(`(?<![\\w.])(?<name>[A-Za-z_][\\w.-]{0,60})(?=["']?\\s*[=:]\\s*${VALUE})`, "dg"),
  new RegExp(`(?<=\\s)--?(?<name>[A-Za-z][\\w-]{0,60})\\s+${VALUE}`, "dg"),
  /\b(?:authorization["']?\s*[:=]\s*["']?(?:(?:basic|bearer|token)\s+)?|bearer\s+)(?<value>[^\s"']+)/dgi,
  /:\/\/[^\s/:@]*:(?<value>[^\s/@]+)@/dg,
  /(?<=\s)(?:-u|--user|--proxy-user)[\s=]{0,3}["']?[^\s:"'=][^\s:"']{0,200}:(?<value>[^\s"']+)/dg,
  /\b(?<value>(?:gh[oprsu]|github_pat|npm)_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|sk[-_][\w-]{20,}|AKIA[A-Z\d]{16}|AIza[\w-]{30,}|eyJ[\w-]{16,}(?:\.[\w-]*)*)/dg,
  /(?<value>-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))/dg,
];

/** A command line with a mark in the place of each credential that it shows; the names of variables that hold one stay. */
export function withoutSecrets(command: string): string {
  let shown = command;
  for (const pattern of PATTERNS) {
    const found = [...shown.matchAll(pattern)].flatMap(({ groups, indices }) => {
      const { name, value = "" }: Partial<Record<string, string>> = groups ?? {};
      const [from = 0, to = 0] = indices?.groups?.["value"] ?? [];
      const isSecret = name === undefined || isSecretName(name.replace(/([a-z])([A-Z])/g, "$1_$2").replace(/[-.]/g, "_"));
      return isSecret && !/^["']?(?:\$|\[secret )/.test(value) ? [{ from, to, mark: `[secret ${name ?? "value"}]` }] : [];
    });
    for (const { from, to, mark } of found.toReversed()) shown = shown.slice(0, from) + mark + shown.slice(to);
  }
  return shown;
}
