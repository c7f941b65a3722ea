import { checkCommand, checkReferences } from "./check-secrets.ts";
import type { NoteProblem } from "./problem.ts";
import type { BatchFile } from "./schema.ts";

/** Reports routes that could not be used as they are written. */
export function checkNotify(
  { notify = [], ...rules }: Pick<BatchFile, "notify" | "secrets" | "sandbox">,
  report: NoteProblem,
): void {
  for (const [i, route] of notify.entries()) {
    const at = ["notify", i];
    if (route.kind === "command") {
      checkCommand(route.command, [...at, "command"], report);
      continue;
    }
    if ((route.url === undefined) === (route.urlSecret === undefined))
      report(at, "must have exactly one of url and urlSecret", "keep an address that lets anybody write in a secret");
    for (const key of ["urlSecret", "signSecret", "tokenSecret"] as const) {
      const name = key in route ? route[key as keyof typeof route] : undefined;
      if (typeof name === "string") checkReferences(`{secret:${name}}`, [...at, key], rules, report);
    }
  }
}
