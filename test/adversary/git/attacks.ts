import { campaign, type World } from "../campaign.ts";
import type { Attack } from "../suite.ts";
import { LANDING } from "./landing.ts";
import { OBJECTS } from "./objects.ts";
import { furnish } from "./repository.ts";
import { WALLS } from "./walls.ts";

const world: World = {
  files: { "README.md": "# test\n" },
  batch: { sandbox: "required", finish: [{ step: "gates" }, { step: "merge" }] },
  template: furnish,
};

/** Attacks by git on what is a person's in the repository: refs, configuration, hooks, the checkout. */
export const GIT_WALLS: readonly Attack[] = campaign(world, WALLS);

/** Attacks by what is committed, and by what the engine's own git would do with it. */
export const GIT: readonly Attack[] = campaign(world, [...OBJECTS, ...LANDING]);
