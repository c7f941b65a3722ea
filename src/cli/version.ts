/** Set by the build, from package.json. */
declare const LOOPDASH_VERSION: string | undefined;

/** The version of this loopdash; "source" if it runs from its sources. */
export const VERSION: string = typeof LOOPDASH_VERSION === "string" ? LOOPDASH_VERSION : "source";
