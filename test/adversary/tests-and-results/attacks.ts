import { campaign } from "../campaign.ts";
import type { Attack } from "../suite.ts";
import { EARLIER, EARLIER_WORLD } from "./earlier.ts";
import { EDITED, EDITED_WORLD } from "./edited.ts";
import { FORGED_RESULTS, FORGED_WORLD } from "./forged.ts";
import { JUDGING } from "./judging.ts";
import { LOOKING_AWAY } from "./looking-away.ts";
import { MENDED_BY_TESTS } from "./mended.ts";
import { PROTECTED } from "./protected.ts";
import { RECOGNIZED, RECOGNIZED_WORLD } from "./recognized.ts";
import { RED_BASE } from "./red-base.ts";
import { REPORTS } from "./reports.ts";
import { RESULTS } from "./results.ts";
import { SCRIPTS } from "./scripts.ts";
import { SETTINGS, SETTINGS_WORLD } from "./settings.ts";
import { STRIPPED, STRIPPED_WORLD } from "./stripped.ts";
import { UNLOADED, UNLOADED_WORLD } from "./unloaded.ts";
import { world } from "./world.ts";

/** Attacks on tests and results. Each list is proven in a file of its own, so that they run at the same time. */
export const TESTS_AND_RESULTS: readonly Attack[] = [
  ...campaign(world, [...REPORTS, ...RESULTS, ...PROTECTED, ...LOOKING_AWAY, ...JUDGING, ...RED_BASE]),
  ...SCRIPTS,
];

/** Results that the code under test forges, and tests that only pass because of other tests. */
export const FORGED: readonly Attack[] = [
  ...campaign(FORGED_WORLD, [...FORGED_RESULTS, ...MENDED_BY_TESTS]),
  ...campaign(UNLOADED_WORLD, UNLOADED),
];

/** Settings of runners, and code that knows that it is tested. */
export const RUNNERS: readonly Attack[] = [
  ...campaign(SETTINGS_WORLD, SETTINGS),
  ...campaign(RECOGNIZED_WORLD, RECOGNIZED),
  ...campaign(STRIPPED_WORLD, STRIPPED),
];

/** Tests that this change or an earlier one has edited. */
export const EDITS: readonly Attack[] = [...campaign(EARLIER_WORLD, EARLIER), ...campaign(EDITED_WORLD, EDITED)];
