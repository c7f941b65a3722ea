/** `git merge-tree --write-tree`, which merges without a checkout, came with this version (git's release notes). */
const OLDEST = [2, 38] as const;

/** The oldest git that loopdash works with, in words. */
export const OLDEST_GIT = OLDEST.join(".");

/** The version in what `git --version` prints, and whether it is new enough; undefined where there is none. */
export function gitVersionIn(text: string): { readonly version: string; readonly isEnough: boolean } | undefined {
  const [, version, major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(text) ?? [];
  if (version === undefined) return undefined;
  return { version, isEnough: Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]) };
}
