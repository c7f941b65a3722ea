import { isDeepStrictEqual } from "node:util";
import { plainText } from "../../domain/values/text.ts";
import type { BatchParts, CiBatchFile } from "./batch-file.ts";
import type { CiTarget } from "./find-target.ts";
import type { CiFlags } from "./flags.ts";

/** A loop that is to start, with the settings that it works by, which may be those of an older command. */
interface Starting {
  readonly target: Pick<CiTarget, "branch" | "fullName">;
  readonly flags: Pick<CiFlags, "agent" | "agentKey" | "allow" | "batch">;
  readonly file: Omit<CiBatchFile, "path">;
  /** The batch of this command. */
  readonly asked: BatchParts;
}

/** The lines at the start of a loop, for people: what it works by, and what of this command is not used. */
export function startLines(starting: Starting): readonly string[] {
  const { target, file } = starting;
  const { batch, resumes } = file;
  const { attempts, minutesPerRun } = batch["limits"] as { readonly attempts: number; readonly minutesPerRun: number };
  const goesOn = resumes === undefined ? "" : `; goes on with ${resumes}`;
  const caps = `at most ${attempts} iterations and ${minutesPerRun} min`;
  return [`${target.branch} of ${target.fullName}: ${agentText(batch["agent"])}, ${caps}${goesOn}`, ...keptLines(starting)];
}

/** The settings that stay as they were when the loop began, and the flags of this command that would have changed them. */
export function keptLines({ flags, file: { batch, kept = [] }, asked }: Omit<Starting, "target">): readonly string[] {
  if (kept.length === 0) return [];
  const isOther = (name: string) => kept.includes(name);
  const isOtherAllowance = !isDeepStrictEqual(allowanceIn(batch), allowanceIn(asked));
  const agent = [...(flags.agent === undefined ? [] : ["--agent"]), ...(flags.agentKey === undefined ? [] : ["--agent-key"])];
  return [
    `as when it began: ${plainText(kept.join(", "), 200)}`,
    ...(isOther("agent") ? agent.map((flag) => `${flag} is not used: the loop goes on with ${agentText(batch["agent"])}`) : []),
    ...(flags.allow !== undefined && isOtherAllowance
      ? ["--allow is not used: the loop goes on with what was allowed when it began"]
      : []),
    ...(flags.batch === undefined ? [] : ["of --batch, the limits alone are used: the loop goes on with its own settings"]),
  ];
}

function allowanceIn(batch: BatchParts): unknown {
  const [ticket] = (batch["tickets"] ?? []) as readonly BatchParts[];
  return ticket?.["allow"];
}

/** The agent of a batch, for people. */
export function agentText(agent: unknown): string {
  const { kind, command, model } = agent as {
    readonly kind: string;
    readonly command?: readonly string[];
    readonly model?: string;
  };
  return plainText(command?.join(" ") ?? (model === undefined ? kind : `${kind}:${model}`), 200);
}
