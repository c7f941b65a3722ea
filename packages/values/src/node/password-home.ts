import { userInfo } from "node:os";
import { hasErrorCode } from "../text.ts";

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
