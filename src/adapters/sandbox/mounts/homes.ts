import { passwordHome } from "@loopdash/values/node";
import { realPath } from "./real-path.ts";

/** HOME and the home from the password file, which programs also look up; not `/`, the home of users without one. Real paths. */
export function findHomes(home: string): string[] {
  const found = [home, passwordHome()].flatMap((each) => (each === undefined ? [] : (realPath(each) ?? [])));
  return [...new Set(found)].filter((each) => each !== "/");
}
