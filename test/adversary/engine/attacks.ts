import type { Attack } from "../suite.ts";
import { AGENTS } from "./agents.ts";
import { BAD_INPUT } from "./bad-input.ts";
import { BUNDLES } from "./bundles.ts";
import { CRASHES } from "./crashes.ts";
import { DISK } from "./disk.ts";
import { ENTRIES } from "./entries.ts";
import { JOURNAL } from "./journal.ts";
import { MONEY } from "./money.ts";
import { SCANS } from "./scans.ts";
import { TERMINAL } from "./terminal.ts";

/** Everything that agents, crashes, other engines, tickets and the environment may do to the engine itself. */
export const ENGINE: readonly Attack[] = [...AGENTS, ...MONEY, ...CRASHES, ...JOURNAL, ...BAD_INPUT, ...TERMINAL, ...BUNDLES];

/** What agents leave on the disk: too much of it, too many entries, and text that is costly to search. */
export const ON_DISK: readonly Attack[] = [...DISK, ...SCANS, ...ENTRIES];
