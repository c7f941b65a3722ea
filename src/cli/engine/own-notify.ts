import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { checkNotify } from "../../domain/batch/check-notify.ts";
import { MILESTONES, NotifySpec } from "../../domain/batch/notify-spec.ts";
import { type BatchProblem, pathText } from "../../domain/batch/problem.ts";
import { notifyAtFolder } from "../../domain/batch/resolve.ts";
import { SecretSpecs } from "../../domain/batch/secret-spec.ts";
import { errorCode, errorMessage, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { ownFile } from "../real-places.ts";
import { type RunSecrets, secretsOf } from "./run-secrets.ts";

/** A person's own receivers, who are told of every run that they start, and the secrets that those need. */
export interface OwnNotify {
  readonly notify: NotifySpec;
  readonly secrets: RunSecrets | undefined;
}

/** A run, as far as it decides who is told of it. */
interface ToldRun {
  readonly isSandboxed: boolean;
  /** Other runs follow it. */
  readonly isOneOfMany: boolean;
}

/**
 * What each of them may be told of a run, and a warning about those who are told nothing: without a sandbox, agents could read a secret
 * that a receiver needs. The end of one run of many is told to nobody.
 */
export function tellable(
  own: OwnNotify | undefined,
  { isSandboxed, isOneOfMany }: ToldRun,
): { readonly own: OwnNotify | undefined; readonly untold: readonly BatchProblem[] } {
  if (own === undefined) return { own, untold: [] };
  const open = own.notify.filter(
    (route) => isSandboxed || !("urlSecret" in route || "signSecret" in route || "tokenSecret" in route),
  );
  const notify = open.flatMap((route) => {
    const on = (route.on ?? MILESTONES).filter((kind) => !isOneOfMany || kind !== "ended");
    return on.length === 0 ? [] : [{ ...route, on }];
  });
  const left = own.notify.length - open.length;
  const message = `${left} of your own receivers ${left === 1 ? "is" : "are"} told nothing: agents have no sandbox, and could read the secret that a receiver needs`;
  return { own: { ...own, notify }, untold: left === 0 ? [] : [{ line: 1, column: 1, path: "notify", message, atStart: true }] };
}

const OwnFile = z.strictObject({ notify: NotifySpec, secrets: SecretSpecs.optional() });

/** Reads a person's own receivers; undefined if they have none. Throws a UserError (exit 2) for a file that cannot be used. */
export function readOwnNotify(env: NodeJS.ProcessEnv, cwd: string): OwnNotify | undefined {
  const { file, named } = ownFile(env, cwd, { variable: "LOOPDASH_NOTIFY", name: "notify.json" });
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (!named && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw unusable(file, code === "ENOENT" ? "there is no such file" : errorMessage(error), error);
  }
  const folder = dirname(file);
  const { notify, secrets } = parsed(text, file);
  return { notify: notify.map((route) => notifyAtFolder(route, folder)), secrets: secretsOf({ secrets }, { folder, env }) };
}

function parsed(text: string, file: string): z.infer<typeof OwnFile> {
  try {
    const read = OwnFile.parse(JSON.parse(text));
    const problems: string[] = [];
    // Whether agents have a sandbox is known only at the start of a run.
    checkNotify({ ...read, sandbox: "required" }, (path, message) => void problems.push(`${pathText(path)} ${message}`));
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return read;
  } catch (error) {
    throw unusable(file, error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error), error);
  }
}

function unusable(file: string, why: string, cause: unknown): UserError {
  return new UserError({
    what: `your own receivers of notices cannot be used: ${plainText(file, 200)}`,
    why: plainText(why, 500),
    todo: "Fix the file (docs/use/notices.md), or remove it.",
    exitCode: EXIT.usage,
    cause,
  });
}
