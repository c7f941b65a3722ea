import { userInfo } from "node:os";
import { hasErrorCode } from "../../../domain/values/text.ts";
import { realPath } from "./real-path.ts";

/** HOME and the home from the password file, which programs also look up; not `/`, the home of users without one. Real paths. */
export function findHomes(home: string): string[] {
  const found = [home, passwordHome()].flatMap((each) => (each === undefined ? [] : (realPath(each) ?? [])));
  return [...new Set(found)].filter((each) => each !== "/");
}

/** The home folder of the password file; undefined if the user has no entry there. */
export function passwordHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch (error) {
    // A user without an entry there, as in containers.
    if (hasErrorCode(error, "ERR_SYSTEM_ERROR")) return undefined;
    throw error;
  }
}
