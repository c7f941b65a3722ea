import { remoteRepository } from "../../domain/values/repo-address.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

/** The repository at GitHub that the remote `origin` of a clone is. */
export interface GitHubOrigin {
  /** In lower case. */
  readonly host: string;
  /** `owner/name`. */
  readonly fullName: string;
  /** Address of the REST API; undefined for that of github.com. */
  readonly baseUrl: string | undefined;
}

/**
 * Reads the address of `origin`, and GITHUB_API_URL if it is set. Throws a UserError (exit 4) if it is not on GitHub, or if the two are not of
 * one host: the token of one would go to the other.
 */
export function readOrigin(address: string, apiUrl: string | undefined): GitHubOrigin {
  const { host, names = [] } = remoteRepository(address) ?? {};
  const named = apiUrl?.trim();
  const baseUrl = named === undefined || named === "" || named === "https://api.github.com" ? undefined : named;
  const api = baseUrl === undefined ? "api.github.com" : URL.parse(baseUrl)?.hostname;
  if (host !== undefined && names.length === 2 && (api === host || api === `api.${host}`))
    return { host, fullName: names.join("/"), baseUrl };
  if (host !== undefined && names.length === 2 && baseUrl !== undefined) {
    const why = `the remote origin is at ${plainText(host, 200)}, and GITHUB_API_URL is of ${plainText(api ?? "no host", 200)}`;
    throw refused(why, "Set GITHUB_API_URL to the API of the host of origin, or unset it for github.com.");
  }
  const todo =
    "Name it: git remote set-url origin https://github.com/OWNER/NAME (add, if there is no origin). For a GitHub Enterprise Server set GITHUB_API_URL.";
  throw refused("the remote origin is no repository of GitHub", todo);
}

/**
 * The number of a pull request that a person names, by it or by its address; else the name of a branch. Throws a UserError (exit 4) if the
 * address is one of another repository.
 */
export function wantedOf(target: string, { host, fullName }: GitHubOrigin): string | number {
  const number = /^#?(\d{1,9})$/.exec(target)?.[1];
  if (number !== undefined) return Number(number);
  const [, site = "", repo = "", pull] =
    /^https?:\/\/([^\s/?#]+)\/([^\s/?#]+\/[^\s/?#]+)\/pull\/(\d{1,9})(?:[/?#].*)?$/i.exec(target) ?? [];
  if (pull === undefined) return target;
  const isHere = URL.parse(`https://${site}`)?.hostname === host && repo.toLowerCase() === fullName.toLowerCase();
  if (isHere) return Number(pull);
  throw refused(`${plainText(target, 200)} is of another repository`, "Name one of this clone's origin.");
}

/** The error of a loop that cannot start. */
export function refused(why: string, todo: string): UserError {
  return new UserError({ what: "loopdash ci cannot start", why: plainText(why, 400), todo, exitCode: EXIT.refused });
}
