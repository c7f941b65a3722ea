import type { Honest } from "./change.ts";
import { CODE } from "./code.ts";
import { COMMITS } from "./commits.ts";
import { FILES } from "./files.ts";
import { LOOKALIKES } from "./lookalikes.ts";
import { REPORTS } from "./reports.ts";
import { CHAIN, RUNNING } from "./running.ts";
import { TESTS } from "./tests.ts";

/** Every ordinary change that must land. */
export const CORPUS: readonly Honest[] = [
  ...CODE,
  ...LOOKALIKES,
  ...TESTS,
  ...FILES,
  ...COMMITS,
  ...RUNNING,
  ...CHAIN,
  ...REPORTS,
];
