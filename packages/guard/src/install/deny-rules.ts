/** Folders and files below a home folder with credentials: neither read nor edited (sources: S2.5). */
const CREDENTIALS = [
  ...["~/.ssh/**", "~/.aws/**", "~/.kube/**", "~/.gnupg/**", "~/.config/gh/**"],
  ...["~/.npmrc", "~/.pypirc", "~/.git-credentials"],
];

/** Files that a shell runs at its start: not edited. */
const STARTUP = ["~/.bashrc", "~/.zshrc", "~/.profile"];

/**
 * Rules for `permissions.deny` of Claude Code's settings. They hold also where hooks do not run, and for its tools that read and
 * edit files alone.
 */
export const DENY_RULES: readonly string[] = [
  ...CREDENTIALS.flatMap((path) => [`Read(${path})`, `Edit(${path})`]),
  ...STARTUP.map((path) => `Edit(${path})`),
];
