import { campaign } from "../campaign.ts";
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

export const TESTS_AND_RESULTS = [
  ...campaign(world, [...REPORTS, ...RESULTS, ...PROTECTED, ...LOOKING_AWAY, ...JUDGING, ...RED_BASE]),
  ...campaign(FORGED_WORLD, [...FORGED_RESULTS, ...MENDED_BY_TESTS]),
  ...campaign(UNLOADED_WORLD, UNLOADED),
  ...campaign(SETTINGS_WORLD, SETTINGS),
  ...campaign(RECOGNIZED_WORLD, RECOGNIZED),
  ...campaign(STRIPPED_WORLD, STRIPPED),
  ...campaign(EARLIER_WORLD, EARLIER),
  ...campaign(EDITED_WORLD, EDITED),
  ...SCRIPTS,
];
