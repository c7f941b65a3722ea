/** Set by the build: the version of package.json, and a hash of all sources. */
declare const LOOPDASH_VERSION: string | undefined;
declare const LOOPDASH_BUILD: string | undefined;

/** The version of this loopdash; "source" if it runs from its sources. */
export const VERSION: string = typeof LOOPDASH_VERSION === "string" ? LOOPDASH_VERSION : "source";

/** Names what this loopdash was built from. */
export const BUILD: string = typeof LOOPDASH_BUILD === "string" ? LOOPDASH_BUILD : "source";
