import { outboxes } from "./outboxes.ts";
import { repairs } from "./repairs.ts";
import { reports } from "./reports.ts";
import type { Target } from "./target.ts";
import { worktrees } from "./worktrees.ts";

export const TARGETS: readonly Target[] = [worktrees, reports, outboxes, repairs];
