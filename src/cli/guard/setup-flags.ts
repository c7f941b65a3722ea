import type { VendorKind } from "../../domain/batch/vendors.ts";

/** The acts of `loopdash guard` for people's own agents. */
export const SETUP_ACTS = ["install", "uninstall", "status"] as const;

/** A request to put the guard into the settings of agents, to take it out or to test it. */
export interface GuardSetup {
  readonly verb: "guard-setup";
  readonly act: (typeof SETUP_ACTS)[number];
  /** Empty: all that are found. */
  readonly agents: readonly VendorKind[];
  /** The settings of this repository instead of the person's. */
  readonly project: boolean;
  /** The file with the settings of the guard, as it was typed. */
  readonly settings?: string;
  /** True if the hooks ask this user's guard server first; it is started for them. */
  readonly server: boolean;
  /** True if the rules for files with credentials are added to Claude Code's settings. */
  readonly denyRules: boolean;
  /** True if an agent that stops is told what is unmet. */
  readonly stop: boolean;
  /** True if commands that may have changed something are listed. */
  readonly audit: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}
