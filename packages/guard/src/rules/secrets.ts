import { hasOption, readOptions } from "../options.ts";
import { absolutePath, type Call, type Inspector, isWithin, type Places } from "../paths.ts";
import { isGlob, isSecretName, isUnknown, MARK, type ShellScope, unknownAt } from "../shell/scope.ts";

/** Folders and files below a home folder that hold credentials. */
const HOME_SECRETS =
  /^\.(?:ssh|aws|gnupg|azure|oci|boto|s3cfg|snowsql|databrickscfg|kaggle|wrangler|age|password-store|config\/(?:gh|gcloud|hub|op|doctl|glab-cli|heroku|rclone|sops|age|fly|hcloud|stripe|netlify|\.wrangler|github-copilot|composer\/auth\.json|configstore|Bitwarden CLI|google-chrome|chromium)|mozilla\/firefox|fly\/config\.yml|gradle\/gradle\.properties|composer\/auth\.json|huggingface\/token|cache\/huggingface\/token|(?:psql|mysql|python|node_repl|rediscli)_history|docker\/config\.json|kube|netrc|npmrc|pypirc|git-credentials|pgpass|my\.cnf|vault-token|cargo\/credentials(?:\.toml)?|gem\/credentials|m2\/settings\.xml|terraform\.d\/credentials\.tfrc\.json|terraformrc|claude\/\.credentials\.json|claude\.json|codex\/auth\.json|gemini\/(?:oauth_creds|google_accounts)\.json|local\/share\/(?:opencode\/auth\.json|com\.vercel\.cli|keyrings)|bash_history|zsh_history)(?:\/|$)/;
const PUBLIC_FILES = /\.pub$|\/known_hosts(?:\.old)?$|\/\.ssh\/(?:config|authorized_keys)$/;
const ENV_FILE = /^\.env(?:rc|\.(?!(?:example|sample|template|dist|defaults?|schema|test|ci)(?:\.|$))[\w.-]+)?$/;
const KEY_FILE =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|credentials\.json|service[-_]?account(?:[-_]?key)?\.json|\.netrc|\.git-credentials|\.pgpass|\.htpasswd|(?:privkey|private[-_]?key|server[-_.]private)\w*\.(?:pem|key)|[\w.-]+\.(?:p12|pfx|kdbx|keystore|jks))$/;

/** True if the file has credentials. A pattern counts if it can match one. */
export function isSecretFile(word: string, scope: ShellScope, { home }: Places): boolean {
  const name = (word.split("/").at(-1) ?? "").replace(/[\uE001\uE002]+$/, "");
  if (/^\.env(?:[\uE001\uE002].*)?$/.test(word.split("/").at(-1) ?? "")) return true;
  if (ENV_FILE.test(name) || KEY_FILE.test(name)) return true;
  const path = absolutePath(word, scope);
  if (path === undefined || PUBLIC_FILES.test(path)) return false;
  if (
    /^\/etc\/(?:g?shadow-?|sudoers(?:\.d)?|ssh\/ssh_host_.*_key|ssl\/private\/.*|letsencrypt\/(?:live|archive|accounts)\/.*|krb5\.keytab|wireguard\/.*)$|^\/proc\/[^/]+\/environ$/.test(
      path,
    )
  )
    return true;
  const own = isWithin(path, home) ? path.slice(home.length + 1) : /^\/(?:root|(?:home|Users)\/[^/]+)\/(.*)$/.exec(path)?.[1];
  return own !== undefined && HOME_SECRETS.test(own);
}

/** Programs that read all files that they name. */
const READERS = new Set(
  "cat tac bat batcat less more most head tail nl od xxd hexdump strings base64 base32 rev cut paste sort uniq diff cmp comm wc fold fmt pr expand view vim vi nvim nano emacs pbcopy xclip source . scp rsync sftp cp mv install tar zip 7z gzip bzip2 xz zstd openssl gpg age split csplit dd envsubst iconv column nc ncat socat curl wget http https ftp magick look ln perl ruby json.tool".split(
    " ",
  ),
);

/** Programs whose first operand is a pattern or code, unless an option gives it. */
const PATTERN_FIRST: Readonly<Record<string, string>> = {
  grep: "ef",
  egrep: "ef",
  fgrep: "ef",
  zgrep: "ef",
  rg: "ef",
  ag: "",
  ack: "",
  sed: "ef",
  jq: "f",
  yq: "",
  awk: "fF",
  gawk: "fF",
  mawk: "fF",
  nawk: "fF",
};

const PATTERN_VALUES: Readonly<Record<string, string>> = {
  grep: "efmABCdD",
  egrep: "efmABC",
  fgrep: "efmABC",
  rg: "efgtTmABCj",
  sed: "efl",
  jq: "fL",
  awk: "fFv",
  gawk: "fFv",
  mawk: "fFv",
  nawk: "fFv",
};

/** Judges which files a program reads. */
export function judgeReads(call: Call, guard: Inspector, places: Places): void {
  const { name, scope } = call;
  const files = filesRead(call);
  if (files.some((file) => isSecretFile(file, scope, places))) guard.report(isSender(name) ? "send-secret" : "read-secret");
}

function filesRead({ name, args }: Call): readonly string[] {
  const given = PATTERN_FIRST[name];
  if (given !== undefined) {
    const options = readOptions(args, {
      letters: PATTERN_VALUES[name] ?? "",
      names: ["regexp", "file", "expression", "include", "exclude", "glob"],
    });
    const hasPattern =
      [...given.replace("F", "")].some((letter) => options.values.has(letter)) ||
      options.values.has("regexp") ||
      options.values.has("expression");
    return hasPattern ? options.operands : options.operands.slice(1);
  }
  if (!READERS.has(name)) return [];
  // The last operand is written, not read.
  const operands = args.filter((arg) => !arg.startsWith("-"));
  const isCopy = ["cp", "mv", "install", "ln", "scp", "rsync"].includes(name);
  const read = isCopy && operands.length > 1 ? operands.slice(0, -1) : operands;
  const attached = isCopy ? [] : args.flatMap((arg) => [arg.replace(/^[^=]*=/, ""), arg.replace(/^[^@]*@/, "")]);
  return [...read, ...attached].filter((arg) => !arg.includes("://"));
}

const SENDERS = new Set([
  "curl",
  "wget",
  "http",
  "https",
  "nc",
  "ncat",
  "socat",
  "scp",
  "rsync",
  "sftp",
  "ftp",
  "telnet",
  "websocat",
]);

function isSender(name: string): boolean {
  return SENDERS.has(name);
}

/** Judges programs that print or send variables. */
export function judgeVariables(call: Call, guard: Inspector): void {
  const { name, args, reader } = call;
  if (name === "printenv") return judgePrintenv(args, reader, guard);
  if (name === "echo" || name === "printf") {
    if (args.some((arg) => arg.includes(MARK.secret)) && !isLogin(reader)) guard.report("print-secret");
    return;
  }
  if (isSender(name) && sentParts(args).some((arg) => arg.includes(MARK.secret))) guard.report("send-secret");
}

/** True if the reader of a pipe is a program that logs in with what it is given. */
function isLogin(reader: readonly string[] | undefined): boolean {
  return reader?.some((word) => /^(?:login|--password-stdin|--with-token|sha\d+sum|md5sum|wc)$/.test(word)) === true;
}

/** Arguments of `curl` and the like that reach a server as data or address. Headers and logins are what tokens are for. */
function sentParts(args: readonly string[]): readonly string[] {
  return args.filter((arg, index) => {
    const before = args[index - 1] ?? "";
    return (
      !/^(?:-H|--header|-u|--user|--oauth2-bearer|-A|-b|--cookie)$/.test(before) &&
      !/^(?:-H|-u|--header=|--user=|--oauth2-bearer=)/.test(arg)
    );
  });
}

function judgePrintenv(args: readonly string[], reader: readonly string[] | undefined, guard: Inspector): void {
  const names = args.filter((arg) => !arg.startsWith("-"));
  if (names.length === 0) return judgeEnvironment(reader, guard);
  if (names.some((name) => isSecretName(name) || isUnknown(name))) guard.report("print-secret");
}

/** Judges a command that prints all variables; a filter behind it may leave only harmless ones. */
export function judgeEnvironment(reader: readonly string[] | undefined, guard: Inspector): void {
  if (reader === undefined || !isHarmlessFilter(reader)) guard.report("print-environment");
}

function isHarmlessFilter([program = "", ...args]: readonly string[]): boolean {
  if (program === "wc") return true;
  if (!/^(?:grep|egrep|fgrep|rg)$/.test(program)) return false;
  const options = readOptions(args, { letters: "efmABC", names: ["regexp"] });
  if (hasOption(options, "v", "invert-match", "f")) return false;
  const pattern = options.values.get("e")?.[0] ?? options.values.get("regexp")?.[0] ?? options.operands[0] ?? "";
  const isBroad = pattern.replace(/[\^$.*\\[\]=]/g, "").length < 2 || unknownAt(pattern) !== -1 || isGlob(pattern);
  return !isBroad && !/tok|sec|pass|key|cred|auth|pat$|aws|api/i.test(pattern);
}
