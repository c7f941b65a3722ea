import { isWithin, realPath } from "./mounts/real-path.ts";

/** Folders that programs take from the environment rather than from HOME. */
const PLACES = [
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "XDG_RUNTIME_DIR",
  "PIP_CACHE_DIR",
  "GOCACHE",
  "npm_config_cache",
];

/** Variables that the dynamic loader or a shell reads: they must not act on the programs that start the sandbox from outside. */
const ACTS_AT_START = /^(?:LD_.*|DYLD_.*|GLIBC_TUNABLES|MALLOC_.*|BASH_ENV|ENV|BASH_FUNC_.*|PS4|SHELLOPTS|BASHOPTS|IFS|CDPATH)$/;

/** The sandbox has no network. A package that is missing from the cache must fail at once, not after minutes of retries. */
const OFFLINE = {
  npm_config_prefer_offline: "true",
  npm_config_fetch_retries: "0",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  PIP_RETRIES: "0",
} as const;

/**
 * Files that one program leaves in HOME or beside a source must not change the next program. Python reads neither the user's own
 * packages nor a compiled file that another program wrote in place of its source.
 */
const BY_SOURCE = { PYTHONNOUSERSITE: "1", PYTHONDONTWRITEBYTECODE: "1" } as const;

/** The environment of a confined program, in two parts. */
export interface InsideEnvironment {
  /** Variables with which the sandbox is started, and which it passes on. */
  readonly inherited: Readonly<Record<string, string>>;
  /** Variables that are set only inside. Every user of the machine sees them in the list of processes. */
  readonly set: readonly (readonly [string, string])[];
}

/**
 * The environment inside: HOME and TMPDIR are private, and variables that name other folders are kept only if those can be
 * written. Package programs are told not to wait for the network, unless `env` says otherwise.
 */
export function insideEnvironment(
  env: Readonly<Record<string, string>>,
  { write, home, temporary }: { readonly home: string; readonly write: readonly string[]; readonly temporary?: string },
): InsideEnvironment {
  const isKept = (name: string, value: string): boolean => {
    if (!PLACES.includes(name)) return true;
    const real = realPath(value);
    return real !== undefined && write.some((folder) => isWithin(folder, real));
  };
  const entries = Object.entries({ ...OFFLINE, ...BY_SOURCE, ...env }).filter(([name, value]) => isKept(name, value));
  const own = { HOME: home, TMPDIR: temporary ?? "/tmp" };
  return {
    inherited: { ...Object.fromEntries(entries.filter(([name]) => !ACTS_AT_START.test(name))), ...own },
    set: entries.filter(([name]) => ACTS_AT_START.test(name)),
  };
}
