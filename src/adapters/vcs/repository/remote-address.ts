import { repoAddress } from "../../../domain/values/repo-address.ts";

/**
 * The page of a repository on GitHub or GitLab, by its settings (names in lower case): those of the remote that the base follows, else
 * of `origin`. Undefined if its host is another, or unknown.
 */
export function remoteAddress(settings: ReadonlyMap<string, string>, base: string): string | undefined {
  const followed = settings.get(`branch.${base}.remote`);
  const remote = followed === undefined || followed === "." ? "origin" : followed;
  const address = settings.get(`remote.${remote}.url`);
  return address === undefined ? undefined : repoAddress(rewritten(address, settings));
}

/** The address of a remote, as git itself uses it; undefined if there is none of this name. `more` are settings of the user. */
export function remoteUrl(
  settings: ReadonlyMap<string, string>,
  name: string,
  more: ReadonlyMap<string, string> = new Map(),
): string | undefined {
  const address = settings.get(`remote.${name}.url`);
  return address === undefined ? undefined : rewritten(address, new Map([...more, ...settings]));
}

/** The address as git rewrites it: by the longest `url.<base>.insteadOf` that it begins with (git-config(1)). */
function rewritten(address: string, settings: ReadonlyMap<string, string>): string {
  let [known, longest] = [address, 0];
  for (const [key, start] of settings) {
    const to = /^url\.(.*)\.insteadof$/s.exec(key)?.[1];
    if (to === undefined || start.length <= longest || !address.startsWith(start)) continue;
    [known, longest] = [to + address.slice(start.length), start.length];
  }
  return known;
}
