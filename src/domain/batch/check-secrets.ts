import { normalize } from "node:path/posix";
import type { HeaderHost } from "@loopdash/model-gateway";
import { secretNames } from "@loopdash/model-gateway";
import { displayValue, hintFor } from "@loopdash/values";
import { isReserved, unfitForLine } from "./plain-words.ts";
import type { CommandWithVariables } from "./prepare-command.ts";
import type { NoteProblem, Path } from "./problem.ts";
import type { BatchFile } from "./schema.ts";
import type { SecretSpecs } from "./secret-spec.ts";
import { BATCH_FOLDER, type StepSpec } from "./step-spec.ts";

/**
 * Interpreters that run the file of their first argument, and read no settings of the current folder before it. (bun and deno do:
 * bunfig.toml, deno.json.)
 */
const INTERPRETERS = ["node", "python", "python3", "perl", "ruby", "sh", "bash", "dash"] as const;

/** Variables that loaders, shells and interpreters read: they would put other code into a program that holds a secret. */
const INJECTS =
  /^(?:PATH|HOME|IFS|ENV|TMPDIR|BASH_.*|SHELLOPTS|BASHOPTS|PS4|CDPATH|LD_.*|DYLD_.*|GLIBC_TUNABLES|MALLOC_.*|NODE_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|GIT_.*|LOOPDASH_.*)$/i;

/** What the rules on secrets look at, in a batch or its file. */
export interface SecretRules {
  readonly secrets?: SecretSpecs | undefined;
  readonly sandbox: BatchFile["sandbox"];
}

/** Reports secrets that could not be fetched as they are written. */
export function checkSecrets({ secrets = {} }: BatchFile, report: NoteProblem): void {
  for (const [name, { file, command = [] }] of Object.entries(secrets)) {
    if (isReserved(name)) report(["secrets", name], `${displayValue(name)} is a reserved word`, "choose another name");
    const unfit = file === undefined ? undefined : unfitForLine(file);
    if (unfit !== undefined) report(["secrets", name, "file"], unfit);
    command.forEach((word, i) => {
      const reason = unfitForLine(word);
      if (reason !== undefined) report(["secrets", name, "command", i], reason);
    });
  }
}

/** Reports words of a command that no command may have. */
export function checkCommand(command: readonly string[], path: Path, report: NoteProblem): void {
  command.forEach((word, i) => {
    const unfit = unfitForLine(word);
    if (unfit !== undefined) report([...path, i], unfit);
    checkArgument(word, [...path, i], report);
  });
}

/** Reports a word of a command that asks for a secret: every user of the machine can read the arguments of a process. */
export function checkArgument(word: string, path: Path, report: NoteProblem): void {
  if (secretNames(word).length === 0) return;
  report(path, "has a secret, and every user of this machine can read the arguments of a process", SAFE_PLACES);
}

const SAFE_PLACES =
  'let the gateway add it: "headers" of a host in sandboxPolicy.hosts; or use "env" of a verify or prepare command whose program is in {batch}';

/** Headers that say where a message goes or ends: whoever sets one could redirect or smuggle a request. */
const FRAMING =
  /^(?:host|connection|keep-alive|content-length|content-encoding|transfer-encoding|te|trailer|upgrade|expect|range|if-range|accept-encoding|forwarded|via|proxy-.*|sec-.*|http2-settings)$/i;

/** Steps that may reach hosts with headers, beside those of `verify`. */
const PREPARE = "prepare";

/** Reports a host with headers that the gateway must not add: to requests of agents' code, or none that could be sent. */
export function checkHeaderHost(
  { host, headers }: HeaderHost,
  { file, who, path }: { readonly file: BatchFile; readonly who: string; readonly path: Path },
  report: NoteProblem,
): void {
  if (who !== PREPARE && !isVerifyAlone(file, who)) {
    const why = `has headers, and only prepare and steps named of verify alone get those: ${displayValue(who)} runs what agents wrote or chose`;
    report(path, why, "leave the headers out, or move what needs them to prepare or a verify");
  }
  if (host.startsWith("*."))
    report(path, "has headers, and a secret goes to one host, never to every name below one", "name the host");
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, "headers", name];
    if (FRAMING.test(name)) report(at, `${displayValue(name)} says how a request is sent`, "choose another header");
    const unfit = unfitForLine(value);
    if (unfit !== undefined) report(at, unfit);
    checkReferences(value, at, file, report);
  }
}

/** True if every step of this name, in every finish line, is a verify. */
function isVerifyAlone({ finish = [], tickets }: BatchFile, who: string): boolean {
  const steps = [finish, ...tickets.map((ticket) => ticket.finish ?? [])].flat();
  const named = steps.filter((step) => "name" in step && step.name === who);
  return named.length > 0 && named.every(({ step }) => step === "verify");
}

/** Reports uses of secrets that do not exist, without a sandbox, or where code of a repository could read them. */
export function checkSecretUses(steps: readonly StepSpec[], path: Path, rules: SecretRules, report: NoteProblem): void {
  steps.forEach((step, i) => {
    if (step.step === "verify") checkVariables(step, [...path, i], rules, report);
  });
}

/** Reports variables that a command cannot have. `path` is that of the value with `command` and `env`. */
export function checkVariables(
  { command, env = {} }: CommandWithVariables,
  path: Path,
  rules: SecretRules,
  report: NoteProblem,
): void {
  for (const [name, value] of Object.entries(env)) checkVariable(name, value, [...path, "env", name], rules, report);
  if (!hasSecrets(env)) return;
  const reason = unfitForSecrets(command);
  if (reason !== undefined) report([...path, "command"], reason, OWN_PROGRAM);
}

/** True if a value of these variables has a secret. */
export function hasSecrets(env: Readonly<Record<string, string>> = {}): boolean {
  return Object.values(env).some((value) => secretNames(value).length > 0);
}

const OWN_PROGRAM =
  'keep the program beside the batch file and name it: ["{batch}/program.sh"] or ["node", "{batch}/program.mjs"]; or let the gateway add the secret: "headers" of a host in sandboxPolicy.hosts';

function checkVariable(name: string, value: string, path: Path, rules: SecretRules, report: NoteProblem): void {
  if (INJECTS.test(name)) report(path, `${displayValue(name)} changes which code runs`, "choose another variable");
  const unfit = unfitForLine(value);
  if (unfit !== undefined) report(path, unfit);
  checkReferences(value, path, rules, report);
}

/** Reports names of secrets in a text that the batch does not have, and a batch whose sandbox may be missing. */
export function checkReferences(text: string, path: Path, { secrets = {}, sandbox }: SecretRules, report: NoteProblem): void {
  const names = secretNames(text);
  if (names.length === 0) return;
  for (const name of names) {
    if (Object.hasOwn(secrets, name)) continue;
    const known = Object.keys(secrets);
    const hint = known.length === 0 ? `add "secrets": {${displayValue(name)}: {"env": "…"}}` : hintFor(name, known, "known here");
    report(path, `the batch has no secret ${displayValue(name)}`, hint);
  }
  if (sandbox === "required") return;
  const why = `uses a secret, but "sandbox": ${displayValue(sandbox)} lets agents run without a sandbox, and they could read it from other processes`;
  report(path, why, 'set "sandbox": "required"');
}

/**
 * The reason why a command must not get a secret; undefined if its program is a file in the batch's folder. Whether the file
 * really lies there, links followed, is checked before the start and before each use.
 */
export function unfitForSecrets(command: readonly string[]): string | undefined {
  const [program = "", script] = command;
  if (isInBatchFolder(program)) return undefined;
  if (!(INTERPRETERS as readonly string[]).includes(program))
    return `${displayValue(program)} is not a file in the batch's folder: it may run code of the repository, which could read the secret`;
  if (script === undefined || !isInBatchFolder(script))
    return `${displayValue(program)} runs ${script === undefined ? "nothing" : displayValue(script)}, which is not a file in the batch's folder: code of the repository could read the secret`;
  return undefined;
}

function isInBatchFolder(word: string): boolean {
  const start = `${BATCH_FOLDER}/`;
  if (!word.startsWith(start)) return false;
  const rest = normalize(word.slice(start.length));
  return rest !== "." && rest !== ".." && !rest.startsWith("../") && !rest.startsWith("/");
}

/** The index of the word that is the program's own file, in a command that `unfitForSecrets` accepts. */
export function programWord(command: readonly string[]): number {
  return (INTERPRETERS as readonly string[]).includes(command[0] ?? "") ? 1 : 0;
}
