import { isAbsolute } from "node:path";

/**
 * The only names that are copied from the engine's own environment. `LC_` names are listed one by one (POSIX and glibc
 * categories): a pattern would let LC_ANYTHING through.
 */
const COPIED = [
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "LC_ALL",
  "LC_ADDRESS",
  "LC_COLLATE",
  "LC_CTYPE",
  "LC_IDENTIFICATION",
  "LC_MEASUREMENT",
  "LC_MESSAGES",
  "LC_MONETARY",
  "LC_NAME",
  "LC_NUMERIC",
  "LC_PAPER",
  "LC_TELEPHONE",
  "LC_TIME",
] as const;

/** The same for every child: nobody is there to answer a prompt, to page through output or to see colours. */
const FIXED: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};

/** The PATH of children if the engine itself has none. */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Variables that make a program load other code or use another repository: not even a caller can set them by accident. */
const NEVER =
  /^(?:GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|GIT_COMMON_DIR|GIT_OBJECT_DIRECTORY|GIT_ALTERNATE_OBJECT_DIRECTORIES|GIT_EXEC_PATH|GIT_CONFIG|GIT_CONFIG_.*|GIT_SSH|GIT_SSH_COMMAND|GIT_PROXY_COMMAND|NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*|BASH_ENV|BASH_FUNC_.*|ENV|PYTHONSTARTUP|PERL5OPT|RUBYOPT)$/;

/**
 * Credentials of trackers, forges, registries, clouds and other machines, and variables that make a program ask a person for
 * them. No child needs these, so not even a caller can pass one on (law 3). Keys of models are not among them; an agent may be
 * meant to have its own.
 */
const HELD_BACK =
  /^(?:(?:GITHUB|GH|GITLAB|GL|CI|LINEAR|JIRA|ATLASSIAN|BITBUCKET|GITEA|FORGEJO|CODEBERG|AZURE_DEVOPS|SYSTEM|NPM|NODE|YARN|CARGO|PYPI|TWINE|UV|POETRY|RUBYGEMS|GEM|DOCKER|VAULT|SLACK|SENTRY|NOTION|TRELLO|ASANA|SHORTCUT|CLICKUP)_(?:[A-Z0-9]+_)*(?:TOKEN|PAT|API_KEY|KEY|SECRET|PASSWORD|PASSWD|ACCESSTOKEN|CREDENTIALS?|AUTH)|AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|SECURITY_TOKEN|SHARED_CREDENTIALS_FILE|WEB_IDENTITY_TOKEN_FILE)|GOOGLE_APPLICATION_CREDENTIALS|KUBECONFIG|SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS|GIT_ASKPASS|GPG_AGENT_INFO|(?:npm|NPM)_CONFIG_.*AUTH.*|LOOPDASH_HOME)$/;

/** Every name that `allowedEnvironment` can return beside those of `extra`. */
export const ALLOWED_NAMES: ReadonlySet<string> = new Set(["PATH", ...COPIED, ...Object.keys(FIXED)]);

/**
 * The environment of every child: harmless names of `from`, fixed settings for a place without a person, and `extra` on top (git
 * identity, the variables of one kind of agent). Throws a TypeError if `extra` contains a name that redirects git or injects code
 * (GIT_DIR, NODE_OPTIONS, LD_PRELOAD, …), or a credential that no child may have (GITHUB_TOKEN, LINEAR_API_KEY, SSH_AUTH_SOCK,
 * …).
 */
export function allowedEnvironment(from: NodeJS.ProcessEnv, extra: Readonly<Record<string, string>>): Record<string, string> {
  const refused = Object.keys(extra).find((name) => NEVER.test(name) || HELD_BACK.test(name));
  if (refused !== undefined) throw new TypeError(`${refused} must not be set for a child process`);
  const copied = COPIED.flatMap((name) => {
    const value = own(from, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries([
    ["PATH", absoluteOnly(own(from, "PATH"))],
    ...copied,
    ...Object.entries(FIXED),
    ...Object.entries(extra),
  ]);
}

function own(from: NodeJS.ProcessEnv, name: string): string | undefined {
  return Object.hasOwn(from, name) ? from[name] : undefined;
}

/** Relative and empty PATH entries mean the current folder, which a worker can write. */
function absoluteOnly(path: string | undefined): string {
  const entries = (path ?? "").split(":").filter((entry) => isAbsolute(entry));
  return entries.length === 0 ? DEFAULT_PATH : entries.join(":");
}
