import { campaign, type World } from "../campaign.ts";
import type { Attack } from "../suite.ts";
import { DESTROYING, makeTargets } from "./destroying.ts";
import { makeHome, PLANTING } from "./planting.ts";
import { makeBystanders, REACHING, startVictim } from "./reaching.ts";
import { ENGINE_ENV, makeSecrets, READING } from "./reading.ts";

const world: World = {
  files: { "README.md": "# test\n" },
  batch: {
    sandbox: "required",
    sandboxPolicy: { read: ["shared", ".config"] },
    finish: [{ step: "gates" }, { step: "merge" }],
  },
  env: ENGINE_ENV,
  around: (stage) => {
    makeTargets(stage);
    makeSecrets(stage);
    makeHome(stage);
    startVictim(stage);
    makeBystanders(stage);
  },
};

/** Attacks from inside an agent on what is outside its worktree. */
export const ESCAPE: readonly Attack[] = campaign(world, [...DESTROYING, ...READING, ...PLANTING, ...REACHING]);
