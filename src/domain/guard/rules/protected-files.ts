import type { Inspector } from "../call.ts";
import { absolutePath, isDevice, isWithin, type Places, pathOnHost } from "../paths.ts";
import type { Scope } from "../shell/scope.ts";

const SYSTEM = /^\/(?:bin|boot|etc|lib\w*|proc|sbin|sys|usr|var|System|Library)(?:\/|$)/;
/** What starts with a shell or an agent, and logins. Plans and notes that agents keep in their own folders are theirs. */
const STARTUP =
  /^\.(?:bashrc|bash_profile|bash_login|bash_logout|zshrc|zshenv|zprofile|zlogin|profile|kshrc|gitconfig|config\/fish(?:\/.*)?|config\/git(?:\/.*)?|ssh(?:\/.*)?|gnupg(?:\/.*)?|aws(?:\/.*)?|kube(?:\/.*)?|npmrc|pypirc|git-credentials|netrc|config\/gh(?:\/.*)?|config\/autostart(?:\/.*)?|config\/systemd(?:\/.*)?|config\/opencode(?:\/.*)?|claude\/(?!(?:plans|todos|tasks)\/|projects\/[^/]+\/memory\/).*|codex\/(?!memories\/).*|gemini\/(?!tmp\/|GEMINI\.md$).*)$/;

/** What switches hooks off, or is one: settings of agents in a repository win over a person's own. */
const HOOKS =
  /\/(?:\.claude\/settings(?:\.local)?\.json|\.codex\/(?:hooks\.json|config\.toml)|\.gemini\/settings\.json|\.opencode\/plugins?\/.+)$/;

/** Judges a write to a file: the system's, the repository's, a shell's start, a login. */
export function judgeWrite(word: string, scope: Scope, guard: Inspector, places: Places): void {
  const own = absolutePath(word, scope);
  const path = own === undefined ? undefined : pathOnHost(own, scope);
  if (path === undefined) return;
  if (isDevice(path)) return guard.report("overwrite-disk");
  if (isProtected(path, places)) guard.report("write-protected");
}

function isProtected(path: string, { worktree, home, temp, kept = [] }: Places): boolean {
  if (kept.includes(path)) return true;
  if (temp.some((folder) => isWithin(path, folder))) return false;
  if (worktree !== undefined && isWithin(path, worktree)) return isWithin(path, `${worktree}/.git`) || HOOKS.test(path);
  if (SYSTEM.test(path)) return true;
  const own = isWithin(path, home)
    ? path.slice(home.length + 1)
    : (/^\/(?:root|(?:home|Users)\/[^/]+)\/(.*)$/.exec(path)?.[1] ?? "");
  return STARTUP.test(own);
}
