import type { Attack } from "../suite.ts";
import { CLAIMS } from "./claims.ts";
import { ENGINE_ALONE } from "./engine-alone.ts";
import { CLAIMED_WALLS } from "./walls.ts";

/** What an agent may do to be taken for done without having done it; reaching out of the sandbox is proven in a file of its own. */
export const FALSE_DONE: readonly Attack[] = [...CLAIMS, ...ENGINE_ALONE, ...CLAIMED_WALLS];
