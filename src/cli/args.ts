import { parseArgs } from "node:util";
import { closest, distance } from "fastest-levenshtein";
import { EXIT, UserError } from "../domain/values/user-error.ts";

/** What the command line asks for. */
export type Request =
  | { readonly verb: "help" }
  | { readonly verb: "version" }
  | {
      readonly verb: "run";
      readonly batch: string;
      readonly output: "auto" | "headless" | "json";
      readonly workers?: number;
      readonly dryRun: boolean;
      readonly fresh: boolean;
      readonly detach: boolean;
      readonly allowApiKey: boolean;
    }
  | { readonly verb: "oracle"; readonly batch: string }
  | { readonly verb: "attach"; readonly run?: string }
  | { readonly verb: "replay"; readonly run?: string; readonly speed: number; readonly skipsIdle: boolean }
  | { readonly verb: "status"; readonly run?: string; readonly json: boolean }
  | { readonly verb: "runs"; readonly json: boolean }
  | { readonly verb: "report"; readonly run?: string; readonly format: "text" | "json" | "md" | "html" }
  | { readonly verb: "doctor"; readonly batch?: string; readonly json: boolean };

const VERBS = ["run", "oracle", "attach", "replay", "status", "runs", "report", "doctor", "help"] as const;

const BOOLEANS = {
  run: ["headless", "json", "dry-run", "fresh", "detach", "allow-api-key"],
  oracle: [],
  attach: [],
  replay: ["idle"],
  status: ["json"],
  runs: ["json"],
  report: ["json", "md", "html"],
  doctor: ["json"],
  help: [],
} as const satisfies Record<(typeof VERBS)[number], readonly string[]>;

/** Reads argv (without node and script). Throws a UserError (exit 2) that names the nearest valid spelling. */
export function readArgs(argv: readonly string[]): Request {
  const [first, ...others] = argv;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") return { verb: "help" };
  if (first === "--version" || first === "-v") return { verb: "version" };
  const verb = VERBS.find((name) => name === first);
  if (verb !== undefined) return readVerb(verb, others);
  if (!first.startsWith("-") && !looksLikeFile(first)) throw unknownVerb(first);
  return readVerb("run", argv);
}

function looksLikeFile(word: string): boolean {
  return /[./\\]/.test(word);
}

function readVerb(verb: (typeof VERBS)[number], argv: readonly string[]): Request {
  const { values, positionals } = parse(verb, argv);
  return values.help === true ? { verb: "help" } : READERS[verb](values, positionals);
}

const READERS: Readonly<Record<(typeof VERBS)[number], (values: Values, positionals: readonly string[]) => Request>> = {
  help: () => ({ verb: "help" }),
  run: readRun,
  oracle: (_, positionals) => ({ verb: "oracle", batch: required(positionals) }),
  attach: (_, positionals) => ({ verb: "attach", ...named("attach", positionals) }),
  replay: (values, positionals) => ({
    verb: "replay",
    ...named("replay", positionals),
    speed: typeof values.speed === "string" ? readSpeed(values.speed) : REPLAY_SPEED,
    skipsIdle: values.idle !== true,
  }),
  status: (values, positionals) => ({ verb: "status", ...named("status", positionals), json: values.json === true }),
  runs: (values, positionals) => {
    if (positionals.length > 0) throw tooMany("runs", positionals);
    return { verb: "runs", json: values.json === true };
  },
  report: (values, positionals) => {
    const given = (["json", "md", "html"] as const).filter((format) => values[format] === true);
    const [format = "text", second] = given;
    if (second !== undefined)
      throw usage("report gives one format", `--${format} and --${second} were both given`, "Choose one of them.");
    return { verb: "report", ...named("report", positionals), format };
  },
  doctor: (values, positionals) => ({
    verb: "doctor",
    ...(positionals.length === 0 ? {} : { batch: required(positionals) }),
    json: values.json === true,
  }),
};

function readRun(values: Values, positionals: readonly string[]): Request {
  const on = (name: string) => values[name] === true;
  return {
    verb: "run",
    batch: required(positionals),
    output: on("json") ? "json" : on("headless") ? "headless" : "auto",
    ...(typeof values.workers === "string" ? { workers: readWorkers(values.workers) } : {}),
    dryRun: on("dry-run"),
    fresh: on("fresh"),
    detach: on("detach"),
    allowApiKey: on("allow-api-key"),
  };
}

type Values = Record<string, string | boolean | undefined>;

function parse(verb: (typeof VERBS)[number], argv: readonly string[]): { values: Values; positionals: string[] } {
  const options: Record<string, { type: "boolean" | "string"; short?: string }> = { help: { type: "boolean", short: "h" } };
  for (const name of BOOLEANS[verb]) options[name] = { type: "boolean" };
  if (verb === "run") options.workers = { type: "string" };
  if (verb === "replay") options.speed = { type: "string" };
  for (const word of argv) {
    if (word === "--") break;
    const name = /^--([^=]+)/.exec(word)?.[1];
    if (name !== undefined && !Object.hasOwn(options, name)) throw unknownOption(verb, name, Object.keys(options));
  }
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    return { values: { ...values }, positionals };
  } catch (error) {
    throw usage(
      "the command line cannot be read",
      error instanceof Error ? error.message : String(error),
      "See: loopdash --help",
    );
  }
}

function readWorkers(text: string): number {
  const workers = Number(text);
  if (Number.isInteger(workers) && workers >= 1 && workers <= 64) return workers;
  throw usage("--workers takes a whole number from 1 to 64", `"${text}" is not one`, "Try: --workers 4");
}

/** How much faster than the run a replay is, unless said otherwise. */
const REPLAY_SPEED = 10;

function readSpeed(text: string): number {
  const speed = Number(text);
  if (Number.isFinite(speed) && speed >= 1 && speed <= 1_000) return speed;
  throw usage("--speed takes a number from 1 to 1000", `"${text}" is not one`, "Try: --speed 10");
}

function required(positionals: readonly string[]): string {
  const [batch, ...more] = positionals;
  if (batch === undefined) throw usage("no batch file is named", "loopdash works a batch of tickets", "Try: loopdash batch.json");
  if (more.length > 0) throw usage("one batch file at a time", `"${more[0]}" is one too many`, "See: loopdash --help");
  return batch;
}

/** The run that is named, if one is. */
function named(verb: string, positionals: readonly string[]): { run?: string } {
  if (positionals.length > 1) throw tooMany(verb, positionals);
  return positionals[0] === undefined ? {} : { run: positionals[0] };
}

function tooMany(verb: string, positionals: readonly string[]): UserError {
  const most = verb === "runs" ? "no run" : "at most one run";
  return usage(`loopdash ${verb} takes ${most}`, `"${positionals.at(-1)}" is one too many`, "See: loopdash --help");
}

function unknownVerb(word: string): UserError {
  const near = closest(word, [...VERBS]);
  const todo =
    distance(word, near) <= 2
      ? `Did you mean: loopdash ${near}`
      : "Name a batch file (loopdash batch.json) or see: loopdash --help";
  return usage(`loopdash does not know "${word}"`, "it is neither a verb nor looks like a batch file", todo);
}

function unknownOption(verb: string, name: string, known: readonly string[]): UserError {
  const near = closest(name, [...known]);
  const todo = distance(name, near) <= 3 ? `Did you mean --${near}?` : `Known here: ${known.map((k) => `--${k}`).join(", ")}`;
  return usage(`loopdash ${verb} has no option --${name}`, "it is not one of its options", todo);
}

function usage(what: string, why: string, todo: string): UserError {
  return new UserError({ what, why, todo, exitCode: EXIT.usage });
}

export const HELP = `loopdash: works a batch of tickets with coding agents; only its oracle says done

  loopdash <batch.json>            start the batch, or go on with its unfinished run
      --headless | --json          plain lines | every event as one JSON line
      --workers N                  this many at a time (1 to 64)
      --dry-run                    print the plan and the ready set; start nothing
      --fresh                      give up the unfinished run and start again
      --detach                     start, print the run's name, and leave it working
      --allow-api-key              start although a model API key is set that changes who pays
  loopdash attach [run]            the dashboard of a running or finished run
  loopdash replay [run]            play a run again in the dashboard
      --speed N                    so many times as fast (1 to 1000; else 10)
      --idle                       play stretches in which nothing happened too
  loopdash oracle <batch.json>     ask the oracle once: exit 0, 1 or 2, evidence on stdout
  loopdash status [run] [--json]   where a run stands
  loopdash runs [--json]           all runs, newest first
  loopdash report [run] [--json | --md | --html]   numbers and summary; --html > page.html: to show others
  loopdash doctor [batch.json] [--json]   is everything there that a run needs?
  loopdash --version | --help

Exit codes of a run: 0 the oracle said done, 1 ended but not done, 2 bad usage or batch file,
3 the oracle could not judge, 4 refused to start, 130 interrupted or left running.
`;
