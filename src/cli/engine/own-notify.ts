import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { SecretUnavailable } from "@loopdash/model-gateway";
import { z } from "zod";
import type { OpenRoute } from "../../adapters/notice/post-notice.ts";
import { checkNotify } from "../../domain/batch/check-notify.ts";
import { MILESTONES, type NotifyRoute, NotifySpec } from "../../domain/batch/notify-spec.ts";
import { type BatchProblem, pathText } from "../../domain/batch/problem.ts";
import { notifyAtFolder } from "../../domain/batch/resolve.ts";
import { SecretSpecs } from "../../domain/batch/secret-spec.ts";
import { errorCode, errorMessage, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { ownFile } from "../real-places.ts";
import { openRoutes } from "./notices.ts";
import { type RunSecrets, secretsOf } from "./run-secrets.ts";

/** A person's own receivers, who are told of every run that they start, and the secrets that those need. */
export interface OwnNotify {
  readonly notify: NotifySpec;
  readonly secrets: RunSecrets | undefined;
}

/** A run, as far as it decides who is told of it. */
interface ToldRun {
  /** Its agents' sandbox, if they have one. */
  readonly sandbox?: unknown;
  /** Other runs follow it. */
  readonly isOneOfMany?: boolean | undefined;
  /** It is a rehearsal, or a person waits for it. */
  readonly tellsNobody?: boolean;
}

/** The receivers who are told of a run, with the values of their secrets, and a warning for each who is not. */
interface OwnRoutes {
  readonly routes: readonly OpenRoute[];
  readonly untold: readonly BatchProblem[];
}

/**
 * Opens a person's own receivers for a run. One is left out, with a warning, whose secret agents without a sandbox could read, or whose
 * secret cannot be fetched: notices never keep a run from starting. The end of one run of many is told to nobody.
 */
export async function openOwnRoutes(
  own: OwnNotify | undefined,
  { sandbox, isOneOfMany, tellsNobody }: ToldRun,
): Promise<OwnRoutes> {
  const routes: OpenRoute[] = [];
  const untold: BatchProblem[] = [];
  if (own === undefined || tellsNobody) return { routes, untold };
  for (const [i, spec] of own.notify.entries()) {
    const on = (spec.on ?? MILESTONES).filter((kind) => !isOneOfMany || kind !== "ended");
    const name = `your ${spec.kind} ${i + 1}`;
    const why =
      sandbox === undefined && needsSecret(spec)
        ? "agents have no sandbox, and could read the secret that it needs"
        : on.length === 0
          ? undefined
          : await openOne(routes, { ...spec, on }, { name, secrets: own.secrets });
    if (why !== undefined)
      untold.push({ line: 1, column: 1, path: "notify", message: `${name} is told nothing: ${why}`, atStart: true });
  }
  return { routes, untold };
}

/** Adds an opened receiver; gives the reason if its secret cannot be fetched. */
async function openOne(
  routes: OpenRoute[],
  spec: NotifyRoute,
  { name, secrets }: { readonly name: string; readonly secrets: RunSecrets | undefined },
): Promise<string | undefined> {
  try {
    for (const route of await openRoutes([spec], secrets)) routes.push({ ...route, name });
    return undefined;
  } catch (error) {
    if (!(error instanceof SecretUnavailable)) throw error;
    return plainText(error.message, 300);
  }
}

const needsSecret = (route: NotifyRoute): boolean => "urlSecret" in route || "signSecret" in route || "tokenSecret" in route;

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
    // Only the start of a run knows whether its agents have a sandbox.
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
