import { hasOption, optionValue, readOptions } from "../options.ts";
import { absolutePath, type Call, type Inspector } from "../paths.ts";
import { copyScope, elsewhere, type ShellScope } from "../shell/scope.ts";
import { readContainer } from "./containers.ts";
import { LAUNCHERS, type Wrapper } from "./launchers.ts";
import { unwrapShell } from "./shells.ts";

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    valued: "-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir",
    takesAssignments: true,
    takesCode: true,
  },
  doas: { valued: "-u -C" },
  nice: { valued: "-n --adjustment" },
  ionice: { valued: "-c -n -p --class --classdata" },
  nohup: {},
  timeout: { valued: "-s -k --signal --kill-after", operands: 1 },
  gtimeout: { valued: "-s -k --signal --kill-after", operands: 1 },
  time: { valued: "-f -o --format --output" },
  gtime: { valued: "-f -o --format --output" },
  setsid: {},
  stdbuf: { valued: "-i -o -e --input --output --error" },
  unbuffer: {},
  chrt: { operands: 1 },
  taskset: { operands: 1 },
  numactl: {},
  catchsegv: {},
  strace: { valued: "-e -o -p -s -a -u -E -I -O -S -X -P" },
  ltrace: { valued: "-e -o -p -s -a -u -n -l -x" },
  valgrind: {},
  unshare: {},
  nsenter: { valued: "-t --target -S -G" },
  chroot: { operands: 1, isElsewhere: true },
  firejail: {},
  bwrap: {},
  proot: {},
  fakeroot: {},
  caffeinate: { valued: "-t -w" },
  "systemd-run": { valued: "-p --property -u --unit -E --setenv --slice --uid --gid -M -H" },
  "systemd-inhibit": {},
  "dbus-run-session": {},
  flock: { valued: "-w -E --timeout", operands: 1, takesCode: true },
  entr: { takesCode: false },
  watch: { valued: "-n --interval", takesCode: true },
  hyperfine: { valued: "-r -w -p -c -s -m -M --runs --warmup --prepare --cleanup", takesCode: true },
  "cross-env": { takesAssignments: true },
  "cross-env-shell": { takesAssignments: true, takesCode: true },
  dotenvx: { subcommands: ["run"], valued: "-f --env-file" },
  dotenv: { valued: "-f -e" },
  busybox: {},
  toybox: {},
  command: {},
  builtin: {},
  exec: { valued: "-a" },
  noglob: {},
  nocorrect: {},
  corepack: {},
  npx: { valued: "-p --package -w --workspace --prefix" },
  bunx: {},
  pnpx: {},
  npm: { subcommands: ["exec", "x"], valued: "-p --package -w --workspace --prefix" },
  pnpm: { subcommands: ["exec", "dlx"], valued: "-F --filter -C --dir --package" },
  yarn: { subcommands: ["exec", "dlx", "run"], valued: "-p --package --cwd" },
  bun: { subcommands: ["x"] },
  uv: { subcommands: ["run", "tool run"], valued: "--with -p --python --project --directory --env-file" },
  uvx: { valued: "--with --from -p --python" },
  pipx: { subcommands: ["run"], valued: "--spec --python" },
  poetry: { subcommands: ["run"], valued: "-C --directory -P --project" },
  pipenv: { subcommands: ["run"] },
  pdm: { subcommands: ["run"] },
  hatch: { subcommands: ["run"] },
  rye: { subcommands: ["run"] },
  conda: { subcommands: ["run"], valued: "-n -p --name --prefix" },
  bundle: { subcommands: ["exec"] },
  mise: { subcommands: ["exec", "x"] },
  asdf: { subcommands: ["exec"] },
  direnv: { subcommands: ["exec"], operands: 1 },
  nix: { subcommands: ["shell", "develop", "run"], valued: "-c --command" },
  doppler: { subcommands: ["run"], valued: "-p -c --project --config" },
  op: { subcommands: ["run"] },
  "aws-vault": { subcommands: ["exec"], operands: 1 },
  sg: { operands: 1, takesCode: true },
  ssh: {
    valued: "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
    operands: 1,
    isElsewhere: true,
    takesCode: true,
  },
  mosh: { operands: 1, isElsewhere: true },
  kubectl: {
    subcommands: ["exec", "debug"],
    operands: 1,
    valued: "-n --namespace -c --container --context --kubeconfig --image --target",
    isElsewhere: true,
  },
  oc: {
    subcommands: ["exec", "rsh", "debug"],
    operands: 1,
    valued: "-n --namespace -c --container --context",
    isElsewhere: true,
  },
  docker: {
    subcommands: ["exec", "run", "container exec", "container run", "compose exec", "compose run"],
    operands: 1,
    isElsewhere: true,
    valued:
      "-v --volume -w --workdir -e --env --env-file --name -u --user -p --publish --network --net --mount --entrypoint --platform -l --label -h --hostname --memory -m --cpus --index -f --file --project-name --profile --add-host --tmpfs --gpus --ulimit --restart --pull --context --volumes-from --device --pid --ipc --userns --cap-add --security-opt --shm-size --runtime",
  },
  "docker-compose": {
    subcommands: ["exec", "run"],
    operands: 1,
    isElsewhere: true,
    valued: "-f --file -p --project-name -e --env -u --user -w --workdir --index --name -v --volume --entrypoint",
  },
};
const SAME: Readonly<Record<string, string>> = {
  podman: "docker",
  nerdctl: "docker",
  gosu: "flock",
  sudoedit: "sudo",
  "parallel-ssh": "pssh",
  pnuke: "pssh",
  dsh: "pdsh",
};

function findWrapper(name: string): Wrapper | undefined {
  const own = SAME[name] ?? name;
  return Object.hasOwn(WRAPPERS, own) ? WRAPPERS[own] : Object.hasOwn(LAUNCHERS, own) ? LAUNCHERS[own] : undefined;
}

/** Judges the program that a wrapper starts. Returns its output; undefined if the program is no wrapper or starts nothing. */
export function unwrap(call: Call, guard: Inspector): string | undefined {
  const wrapper = findWrapper(call.name);
  const words = wrapper === undefined ? undefined : programIn(call.args, wrapper);
  if (wrapper === undefined || words === undefined) return undefined;
  if (words.length === 0)
    return startsShell(call) ? unwrapShell({ ...call, args: [], scope: wrappedScope(wrapper, call) }, guard) : undefined;
  const made = madeContainer(call, words);
  if (made?.entrypoint !== undefined) return guard.words([made.entrypoint, ...words], { ...call, scope: made.scope });
  const scope = made?.scope ?? wrappedScope(wrapper, call);
  const { name, args: _, ...frame } = call;
  if (wrapper.takesCode !== true) return guard.words(words, { ...frame, scope });
  const code = words[0] === "-c" ? words.slice(1) : words;
  const isCode = code.length === 1 || code.length < words.length || wrapper.isElsewhere === true || name === "watch";
  return isCode ? guard.line(code.join(" "), scope, call.stdin) : guard.words(words, { ...frame, scope });
}

function wrappedScope({ isElsewhere }: Wrapper, { name, args, scope }: Call): ShellScope {
  if (isElsewhere === true) return elsewhere(scope);
  return name === "sudo" || name === "doas" ? scopeOfSudo(args, scope) : scope;
}

/** `sudo` may change the folder: by `-D`, or with a login shell to a home folder. */
function scopeOfSudo(args: readonly string[], scope: ShellScope): ShellScope {
  const options = readOptions(args, { letters: "ughpCDRTUrt", names: ["user", "group", "chdir"], stopsAtOperand: true });
  const folder = optionValue(options, "D", "chdir");
  if (folder !== undefined) return copyScope(scope, { cwd: absolutePath(folder, scope) });
  return hasOption(options, "i", "login") ? copyScope(scope, { cwd: undefined }) : scope;
}

/** True for wrappers that start a shell if no program is named: it reads stdin. */
function startsShell({ name, args }: Call): boolean {
  if (name === "sudo") return args.some((arg) => /^-\w*[si]\w*$|^--(?:shell|login)$/.test(arg));
  if (name === "ssh") return args.some((arg) => !arg.startsWith("-")) && !args.some((arg) => /^-\w*[NVWOGQ]/.test(arg));
  return name === "chroot" || name === "unshare" || name === "nsenter";
}

/** The container that `docker run` makes for a program. */
function madeContainer({ name, args, scope }: Call, words: readonly string[]): ReturnType<typeof readContainer> | undefined {
  const isDocker = name === "docker" || SAME[name] === "docker";
  const at = args.indexOf("run");
  if (!isDocker || at === -1 || args.slice(0, at).includes("compose") || at >= args.length - words.length) return undefined;
  return readContainer(args.slice(at + 1), scope);
}

/** The words after the wrapper's own options and operands. Undefined if a subcommand that starts programs is missing. */
function programIn(args: readonly string[], { subcommands, operands = 0, ...wrapper }: Wrapper): readonly string[] | undefined {
  let at = afterOptions(args, 0, wrapper);
  if (subcommands !== undefined) {
    const given = subcommands.find((words) => words.split(" ").every((word, index) => args[at + index] === word));
    if (given === undefined) return undefined;
    at = afterOptions(args, at + given.split(" ").length, wrapper);
  }
  // Letters after an operand may be those of the program.
  for (let skipped = 0; skipped < operands; skipped++) at = afterOptions(args, at + 1, wrapper, false);
  return args.slice(at);
}

/** The index of the first word that is neither an option nor the value of one. */
function afterOptions(
  args: readonly string[],
  from: number,
  { valued = "", takesAssignments = false }: Wrapper,
  hasClusters = true,
): number {
  const names = valued.split(" ");
  let at = from;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return at + 1;
    if (names.includes(arg) || (hasClusters && endsInValued(arg, names))) at++;
    else if (!/^-./.test(arg) && !(takesAssignments && /^[A-Za-z_]\w*=/.test(arg))) break;
  }
  return at;
}

/** True for letters such as `-iu`, of which the last one takes the next word as its value. */
function endsInValued(arg: string, names: readonly string[]): boolean {
  if (!/^-[a-zA-Z]{2,4}$/.test(arg)) return false;
  const letters = [...arg.slice(1)].map((letter) => names.includes(`-${letter}`));
  return letters.indexOf(true) === letters.length - 1;
}

/** Judges what `env` starts: it also takes a whole command line by `-S`. Returns undefined if it prints the environment. */
export function unwrapEnv(call: Call, guard: Inspector): string | undefined {
  const { name: _, args, ...frame } = call;
  const scope = copyScope(call.scope);
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, split] = /^(?:-[a-zA-Z]*S|--split-string=?)(.*)$/s.exec(arg) ?? [];
    if (split !== undefined) return guard.line([split, ...args.slice(at + 1)].join(" ").trim(), scope, call.stdin);
    const folder = /^(?:-C|--chdir)$/.test(arg) ? args[at + 1] : /^(?:-C|--chdir=)(.+)$/s.exec(arg)?.[1];
    if (folder !== undefined) scope.cwd = absolutePath(folder, scope);
    setVariable(arg, scope);
    if (/^(?:-u|-C|--unset|--chdir|-P)$/.test(arg)) at++;
    else if (!/^-|^[^=]+=/.test(arg)) return guard.words(args.slice(at), { ...frame, scope });
  }
  return undefined;
}

/** Sets the variable of an assignment among the words of `env`. */
function setVariable(word: string, { variables }: ShellScope): void {
  const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
  if (name !== undefined) variables.set(name, value);
}
