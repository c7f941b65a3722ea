/** Three numbers of a version; missing ones are undefined in a wish and 0 in a version. */
type Numbers = readonly [number, number | undefined, number | undefined];

/** The numbers at the start of a version such as `v20.11.1`; undefined if there are none. A pre-release does not count. */
export function versionNumbers(text: string): Numbers | undefined {
  const [all, major, minor, patch] = /^v?(\d{1,6})(?:\.(\d{1,6}|[xX*]))?(?:\.(\d{1,6}|[xX*]))?$/.exec(text.trim()) ?? [];
  const number = (part: string | undefined) => (part === undefined || /[xX*]/.test(part) ? undefined : Number(part));
  return all === undefined ? undefined : [Number(major), number(minor), number(patch)];
}

/** Negative if the first version is older. Missing numbers count as 0. */
export function compareVersions(a: Numbers, b: Numbers): number {
  return a[0] - b[0] || (a[1] ?? 0) - (b[1] ?? 0) || (a[2] ?? 0) - (b[2] ?? 0);
}

/** True if the version begins with the numbers of the wish: `20` is any 20. */
export function beginsWith(version: Numbers, wish: Numbers): boolean {
  return wish.every((number, i) => number === undefined || number === (version[i] ?? 0));
}

/**
 * True if a version lies in a range of npm's syntax (node-semver): comparators, `^`, `~`, `x`, hyphens, blanks for "and", `||` for
 * "or". A part that it does not understand lets every version pass, because nothing must be refused for it.
 */
export function isInRange(version: Numbers, range: string): boolean {
  return range.split("||").some((part) => {
    const [, from, to] = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(part) ?? [];
    const tests =
      from === undefined
        ? part
            .replace(/([<>=^~])\s+/g, "$1")
            .trim()
            .split(/\s+/)
        : [`>=${from}`, `<=${to}`];
    return tests.every((each) => passes(version, each));
  });
}

function passes(version: Numbers, test: string): boolean {
  const [, sign = "", rest = ""] = /^([<>]=?|=|\^|~)?(.*)$/.exec(test) ?? [];
  const wish = versionNumbers(rest);
  if (wish === undefined) return true;
  const order = compareVersions(version, wish);
  const isSame = beginsWith(version, wish);
  switch (sign) {
    case ">=":
      return order >= 0;
    case ">":
      return order > 0 && !isSame;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0 || isSame;
    case "^":
      return order >= 0 && beginsWith(version, leading(wish));
    case "~":
      return order >= 0 && beginsWith(version, [wish[0], wish[1], undefined]);
    default:
      return isSame;
  }
}

/** The numbers that `^` keeps: up to the first that is not 0. */
function leading([major, minor, patch]: Numbers): Numbers {
  if (major !== 0) return [major, undefined, undefined];
  return minor === 0 ? [0, 0, patch] : [0, minor, undefined];
}
