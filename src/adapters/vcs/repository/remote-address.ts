import { remoteRepository, repoAddress } from "../../../domain/values/repo-address.ts";

/**
 * The page of a repository on GitHub or GitLab, by its settings (names in lower case): those of the remote that the base follows, else
 * of `origin`. Undefined if its host is another, or unknown.
 */
export function remoteAddress(settings: ReadonlyMap<string, string>, base: string): string | undefined {
  const address = followedAddress(settings, base);
  return address === undefined ? undefined : repoAddress(rewritten(address, settings));
}

/** The remote that the base follows, as host and names if it has them, whatever the protocol; "" if there is none. */
export function followedRemote(settings: ReadonlyMap<string, string>, base: string): string {
  const address = followedAddress(settings, base) ?? "";
  const { host, names = [] } = remoteRepository(address) ?? {};
  return host === undefined ? address : [host, ...names].join("/");
}

function followedAddress(settings: ReadonlyMap<string, string>, base: string): string | undefined {
  const followed = settings.get(`branch.${base}.remote`);
  const remote = followed === undefined || followed === "." ? "origin" : followed;
  return settings.get(`remote.${remote}.url`);
}

/**
 * The address that `git push` uses for a remote; undefined if there is none of this name. `more` are settings of the user. An address
 * for pushes alone wins: some people make it one that leads nowhere, so that nothing is pushed by mistake.
 */
export function pushUrl(
  settings: ReadonlyMap<string, string>,
  name: string,
  more: ReadonlyMap<string, string> = new Map(),
): string | undefined {
  const all = new Map([...more, ...settings]);
  const forPushes = settings.get(`remote.${name}.pushurl`);
  if (forPushes !== undefined) return rewritten(forPushes, all);
  const address = settings.get(`remote.${name}.url`);
  if (address === undefined) return undefined;
  const pushed = rewritten(address, all, "pushinsteadof");
  return pushed === address ? rewritten(address, all) : pushed;
}

/** The address as git rewrites it: by the longest `url.<base>.insteadOf` that it begins with (git-config(1)). */
function rewritten(
  address: string,
  settings: ReadonlyMap<string, string>,
  by: "insteadof" | "pushinsteadof" = "insteadof",
): string {
  let [known, longest] = [address, 0];
  for (const [key, start] of settings) {
    if (!key.startsWith("url.") || !key.endsWith(`.${by}`)) continue;
    if (start.length <= longest || !address.startsWith(start)) continue;
    [known, longest] = [key.slice("url.".length, -by.length - 1) + address.slice(start.length), start.length];
  }
  return known;
}
