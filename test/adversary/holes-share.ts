import { createHash } from "node:crypto";

/** `2/4`: the second of four shares of about the same size. */
const SHARE = /^([1-9])\/([1-9])$/;

/**
 * True if what this defence or rule stops is also tried without it. `LOOPDASH_TEST_HOLES` says for which: all of them if it is not
 * set, `none`, or one share of several. That a defence is needed changes only with the code that enforces it, and its build and
 * run take half of the time, so `.ci/run` tries one share, another one with each commit.
 */
export function isTriedWithout(name: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const holes = env["LOOPDASH_TEST_HOLES"];
  if (holes === undefined || holes === "none") return holes === undefined;
  const [, share, of] = SHARE.exec(holes) ?? [];
  if (Number(share) > Number(of) || share === undefined)
    throw new Error(`LOOPDASH_TEST_HOLES is ${JSON.stringify(holes)}: give "none", or a share such as "2/4"`);
  return createHash("sha256").update(name).digest().readUInt16BE() % Number(of) === Number(share) - 1;
}
