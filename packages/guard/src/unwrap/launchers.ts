import type { Call, Inspector } from "../paths.ts";
import { elsewhere } from "../shell/scope.ts";

/** A program that starts the program which its arguments name. */
export interface Wrapper {
  /** Options that take the next word as their value. */
  readonly valued?: string;
  /** Operands before the program. */
  readonly operands?: number;
  /** True if words such as `NAME=value` may come before the program. */
  readonly takesAssignments?: boolean;
  /** Words before the program that are subcommands, of which one must be there. */
  readonly subcommands?: readonly string[];
  /** True if the program runs on another machine or in a container. */
  readonly isElsewhere?: boolean;
  /** True if a single operand is shell code. */
  readonly takesCode?: boolean;
}

/** Programs that start others with an environment of their own, or on many machines at once. */
export const LAUNCHERS: Readonly<Record<string, Wrapper>> = {
  setpriv: {},
  pkexec: { valued: "--user" },
  prlimit: {},
  cgexec: { valued: "-g" },
  choom: { valued: "-n" },
  eatmydata: {},
  faketime: { operands: 1 },
  "xvfb-run": { valued: "-n -s -e -f -p -w" },
  chronic: {},
  ifne: {},
  perf: { subcommands: ["stat", "record", "trace"], valued: "-e -o -F -r" },
  "flatpak-spawn": {},
  watchexec: { valued: "-w -e -i -d -s -f --watch --exts --ignore" },
  envchain: { operands: 1 },
  "env-cmd": { valued: "-f -r -e --file --environments" },
  chamber: { subcommands: ["exec"], operands: 1 },
  infisical: { subcommands: ["run"], valued: "--env --path --projectId --token" },
  railway: { subcommands: ["run"], valued: "-s --service -e --environment" },
  saml2aws: { subcommands: ["exec"], valued: "-a --exec-profile" },
  foreman: { subcommands: ["run"], valued: "-e --env -f --procfile" },
  honcho: { subcommands: ["run"], valued: "-e --env -f --procfile" },
  rbenv: { subcommands: ["exec"] },
  pyenv: { subcommands: ["exec"] },
  fnm: { subcommands: ["exec"], valued: "--using" },
  volta: { subcommands: ["run"], valued: "--node --npm --yarn" },
  lerna: { subcommands: ["exec"], valued: "--scope --ignore --concurrency" },
  devbox: { subcommands: ["run"] },
  pixi: { subcommands: ["run"], valued: "-e --environment" },
  autossh: { valued: "-M -p -i -l -o -F -L -R -D -J", operands: 1, isElsewhere: true, takesCode: true },
  sshpass: { valued: "-p -f -d -P" },
  pdsh: { valued: "-w -x -g -l -u -f -R -t", isElsewhere: true, takesCode: true },
  clush: { valued: "-w -g -x -l -f -t -o", isElsewhere: true, takesCode: true },
  pssh: { valued: "-H -h -l -p -o -e -t -O --hosts --host --user --par --timeout", isElsewhere: true, takesCode: true },
  machinectl: { subcommands: ["shell"], operands: 1, isElsewhere: true },
  multipass: { subcommands: ["exec"], operands: 1, isElsewhere: true },
  lxc: { subcommands: ["exec"], operands: 1, isElsewhere: true },
  incus: { subcommands: ["exec"], operands: 1, isElsewhere: true },
  limactl: { subcommands: ["shell"], operands: 1, isElsewhere: true },
  distrobox: { subcommands: ["enter"], operands: 1 },
  tsh: { subcommands: ["ssh"], valued: "--proxy --user --cluster", operands: 1, isElsewhere: true, takesCode: true },
  adb: { subcommands: ["shell"], isElsewhere: true, takesCode: true },
  crictl: { subcommands: ["exec"], operands: 1, isElsewhere: true },
  heroku: {
    subcommands: ["run", "run:detached"],
    valued: "-a --app -s --size -r --remote -e --env",
    isElsewhere: true,
    takesCode: true,
  },
};

/** A program that takes a line of shell code as the value of an option. */
interface LineOption {
  /** The words that the program needs for it. */
  readonly words: RegExp;
  readonly option: RegExp;
  readonly isElsewhere?: boolean;
}

const LINE_OPTIONS: Readonly<Record<string, LineOption>> = {
  npx: { words: /^/, option: /^(?:-c|--call)$/ },
  npm: { words: /^(?:exec|x)\b/, option: /^(?:-c|--call)$/ },
  "nix-shell": { words: /^/, option: /^--(?:run|command)$/ },
  nodemon: { words: /^/, option: /^(?:-x|--exec)$/ },
  entr: { words: /^/, option: /^-[a-z]*s$/ },
  cargo: { words: /^watch\b/, option: /^(?:-s|--shell)$/ },
  gcloud: { words: /\bcompute ssh\b/, option: /^--command$/, isElsewhere: true },
  fly: { words: /^ssh console\b/, option: /^(?:-C|--command)$/, isElsewhere: true },
  flyctl: { words: /^ssh console\b/, option: /^(?:-C|--command)$/, isElsewhere: true },
  vagrant: { words: /^ssh\b/, option: /^(?:-c|--command)$/, isElsewhere: true },
  az: { words: /\brun-command (?:invoke|create)\b/, option: /^--scripts?$/, isElsewhere: true },
  doctl: { words: /\bcompute ssh\b/, option: /^--ssh-command$/, isElsewhere: true },
  aws: { words: /\b(?:ssm send-command|ecs execute-command)\b/, option: /^--(?:parameters|command)$/, isElsewhere: true },
};

/** Judges lines of shell code that a program takes as the value of an option, for this or another machine. */
export function judgeLineOptions({ name, args, scope }: Call, guard: Inspector): void {
  const found = Object.hasOwn(LINE_OPTIONS, name) ? LINE_OPTIONS[name] : undefined;
  if (found?.words.test(args.filter((arg) => !arg.startsWith("-")).join(" ")) !== true) return;
  const where = found.isElsewhere === true ? elsewhere(scope) : scope;
  for (const value of optionValues(args, found.option)) for (const line of linesIn(value)) guard.maybeLine(line, where);
}

function optionValues(args: readonly string[], option: RegExp): readonly string[] {
  return args.flatMap((arg, index) => {
    if (option.test(args[index - 1] ?? "")) return arg;
    const at = arg.indexOf("=");
    return at !== -1 && option.test(arg.slice(0, at)) ? arg.slice(at + 1) : [];
  });
}

/** `commands="…"` and `{"commands": ["…"]}` of a document of AWS; other values are lines. */
function linesIn(code: string): readonly string[] {
  if (!/^\s*(?:\{|commands=)/.test(code)) return [code];
  const texts = [...code.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
  return [...texts, code.replace(/^\s*commands=\[?/, "").replace(/\]$/, "")];
}
