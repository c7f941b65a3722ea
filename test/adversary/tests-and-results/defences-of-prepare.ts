import type { Defence } from "../suite.ts";

/** Defences against files that the prepare commands of a change make. */
export const DEFENCES_OF_PREPARE = {
  made: {
    name: "what a change's prepare commands make is never a protected file",
    holes: [{ in: "prepare", from: "if (made.length > 0)", to: "if (made.length < 0)" }],
  },
  madeInFolder: {
    name: "a name that is protected everywhere is protected in a folder that is protected as a whole, too",
    holes: [
      { in: "byName", from: "globs.some((covers) => covers(path) &&", to: "[isProtected].some((covers) => covers(path) &&" },
    ],
  },
  madeBehindLink: {
    name: "a change's prepare commands make no link behind which there may be protected files",
    holes: [{ in: "prepare", from: "if (links.length > 0)", to: "if (links.length < 0)" }],
  },
} as const satisfies Record<string, Defence>;
