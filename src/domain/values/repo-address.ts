/** The hosts of ssh at which GitHub and GitLab listen on port 443, for networks without port 22. */
const SSH_HOSTS: Readonly<Record<string, string>> = { "ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com" };

/** `[user@]host:path`, git's short form of ssh (git-fetch(1), GIT URLS). */
const SHORT_SSH = /^(?:[^@/:]+@)?([A-Za-z0-9.-]+):(?!\/\/)\/?(.+)$/;
const SCHEMES: ReadonlySet<string> = new Set(["https:", "http:", "ssh:", "git:", "git+ssh:"]);
/** A name of an owner, a group or a repository, as it stands in a path. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,255}$/;

/**
 * The address of a repository's page on GitHub or GitLab, by the address of a remote: `https://github.com/owner/name`. User names and
 * tokens in the remote's address are left out. Undefined for any other host: where its pages are is not known.
 */
export function repoAddress(remote: string): string | undefined {
  const found = remoteRepository(remote);
  if (found === undefined) return undefined;
  const { host, names } = found;
  const isThere = isGitHub(host) ? names.length === 2 : host === "gitlab.com" && names.length >= 2 && names.length <= 21;
  return isThere ? `https://${host}/${names.join("/")}` : undefined;
}

/**
 * The host of a remote's address, in lower case, and the names of its path: owner and repository, with groups before them on some
 * hosts. Undefined for a path on this machine and for any other form.
 */
export function remoteRepository(remote: string): { readonly host: string; readonly names: readonly string[] } | undefined {
  const place = parseRemote(remote.trim());
  if (place === undefined) return undefined;
  const host = place.host.toLowerCase();
  const names = place.path
    .replace(/^\/+|(?<!\/)\/+$/g, "")
    .replace(/\.git$/, "")
    .split("/");
  return names.every((name) => NAME.test(name)) ? { host: SSH_HOSTS[host] ?? host, names } : undefined;
}

/** The host of a remote's address, in lower case, whatever its path is. Undefined for a path on this machine and for any other form. */
export function remoteHost(remote: string): string | undefined {
  const host = parseRemote(remote.trim())?.host.toLowerCase();
  return host === undefined ? undefined : (SSH_HOSTS[host] ?? host);
}

/** The address of a commit's page; `repo` is one that `repoAddress` gave. Undefined for anything but a hexadecimal hash. */
export function commitAddress(repo: string, sha: string): string | undefined {
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha)) return undefined;
  return `${repo}${repo.startsWith("https://gitlab.com/") ? "/-" : ""}/commit/${sha}`;
}

/** github.com, and companies' own parts of it (GitHub Enterprise Cloud with data residency). */
function isGitHub(host: string): boolean {
  return host === "github.com" || /^[a-z0-9-]+\.ghe\.com$/.test(host);
}

function parseRemote(remote: string): { readonly host: string; readonly path: string } | undefined {
  const url = remote.includes("://") ? URL.parse(remote) : null;
  if (url !== null) return SCHEMES.has(url.protocol) ? { host: url.hostname, path: url.pathname } : undefined;
  const [, host = "", path = ""] = SHORT_SSH.exec(remote) ?? [];
  return host === "" ? undefined : { host, path };
}
