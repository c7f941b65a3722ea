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

/** Read by the dynamic loader or a shell: they must not act on what starts the sandbox from outside of it. */
const ACTS_AT_START = /^(?:LD_.*|DYLD_.*|GLIBC_TUNABLES|MALLOC_.*|BASH_ENV|ENV|BASH_FUNC_.*|PS4|SHELLOPTS|BASHOPTS|IFS|CDPATH)$/;

/** There is no way out: a package that is not in the cache is to be missed at once and not after minutes of retries. */
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
 * What one program leaves in HOME or beside a source must not decide what the next one is made of: Python reads neither the user's
 * own packages nor, where nobody has written one, a compiled file in the place of its source.
 */
const BY_SOURCE = { PYTHONNOUSERSITE: "1", PYTHONDONTWRITEBYTECODE: "1" } as const;

/** The environment of a confined program, in two parts. */
export interface InsideEnvironment {
  /** What the sandbox is started with and hands on. */
  readonly inherited: Readonly<Record<string, string>>;
  /** What may only be set inside. These are seen by every user of the machine, in the list of processes. */
  readonly set: readonly (readonly [string, string])[];
}

/**
 * The environment inside: HOME and TMPDIR are private; the name of another place is kept only where that can be written.
 * Package programs are told not to wait for the network, unless `env` says otherwise.
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
