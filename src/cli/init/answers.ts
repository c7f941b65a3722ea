import type { Argv } from "../../domain/batch/prepare-command.ts";
import type { RepoSpec } from "../../domain/batch/repo-spec.ts";
import type { GitHubSpec, LinearSpec } from "../../domain/batch/tracker-spec.ts";
import type { VendorKind } from "../../domain/batch/vendors.ts";

/** Where the tickets are, as a batch file says it. */
export type TrackerAnswer = { readonly kind: "local"; readonly path: string } | LinearSpec | GitHubSpec;

/** A program that works or reviews, as a batch file says it: any command, or a vendor's with its login or a key. */
export type ProgramAnswer =
  | { readonly kind: "command"; readonly command: Argv }
  | {
      readonly kind: VendorKind;
      readonly model?: string;
      readonly billing?: "subscription";
      readonly apiKeyEnv?: string;
    };

/** Everything that a batch file is made from. */
export interface Answers {
  readonly name: string;
  readonly tracker: TrackerAnswer;
  /** By name; paths as the file has them. */
  readonly repos: Readonly<Record<string, Pick<RepoSpec, "path" | "base" | "prepare">>>;
  /** Hosts that the prepare commands may reach. */
  readonly hosts: readonly string[];
  /** The command that checks each change; `own`: that of each repository, which it names itself; `none`: there is no check. */
  readonly test: Argv | "own" | "none";
  /** Hooks of the repository as steps of the finish line. */
  readonly hooks: readonly { readonly step: "check"; readonly name: string; readonly command: Argv }[];
  readonly agent: ProgramAnswer;
  readonly reviewer: ProgramAnswer | undefined;
}
