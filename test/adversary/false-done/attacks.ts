import type { Attack } from "../suite.ts";
import { CLAIMS } from "./claims.ts";
import { ENGINE_ALONE } from "./engine-alone.ts";
import { REACHING_OUT } from "./reaching-out.ts";
import { CLAIMED_WALLS } from "./walls.ts";

/** Everything that an agent may do to be taken for done without having done it. */
export const FALSE_DONE: readonly Attack[] = [...CLAIMS, ...REACHING_OUT, ...ENGINE_ALONE, ...CLAIMED_WALLS];
