/** The identity of a preparation: a repository, and the hash of everything that the result depends on. */
export interface PreparedRef {
  /** The identity of the repository across runs; see Repo.identity. */
  readonly repo: string;
  /** sha256, hexadecimal digits. */
  readonly key: string;
}

/** A kept preparation: everything that prepare commands added to a pristine checkout, or changed in it. */
export interface PreparedTree extends PreparedRef {
  /** The repository's name, for people. */
  readonly name: string;
  /** The tree (git) of the checkout in which it was made. */
  readonly tree: string;
  /** Paths that were added or changed: whole folders if they are new. Relative to the checkout. */
  readonly roots: readonly string[];
  /** Files of the commit that the commands removed. */
  readonly removed: readonly string[];
  /** True if the commands changed or removed files of the commit: then it fits no other tree. */
  readonly changesCommitted: boolean;
  readonly files: number;
  readonly bytes: number;
  /** Milliseconds since the epoch, and how long the commands took. */
  readonly madeAt: number;
  readonly ms: number;
  /** When it was last made or given out. Milliseconds since the epoch. */
  readonly usedAt: number;
}

/** A checkout before its preparation, as far as later changes can be told by it. */
export interface CheckoutSnapshot {
  readonly checkout: string;
  /** Identity of each file outside .git, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** The state of the checkout's own git folder. */
  readonly git: string;
}

/** Whether something was done, and why not: one line for people. */
export type Kept = { readonly ok: true; readonly tree: PreparedTree } | { readonly ok: false; readonly why: string };
export type Copied = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** The identity of what commands read outside a checkout. */
export interface OutsideIdentity {
  readonly identity: string;
  /** The reason why something there may change without the identity: one line for people. Then no preparation may be reused. */
  readonly problem?: string;
}

/**
 * Preparations that later worktrees and checks get a copy of. An entry is made in a checkout that no worker wrote, and nothing
 * that a confined process does reaches it. It appears whole or not at all.
 */
export interface PreparedTrees {
  /** The preparation with this key, if there is a whole one of this format. */
  find(ref: PreparedRef): Promise<PreparedTree | undefined>;
  /**
   * Runs `task` while nobody else on this machine makes the same preparation. `onWait` is told whom it waits for, in words, once.
   * Rejects with the signal's reason if it is aborted meanwhile.
   */
  withLock<T>(
    ref: PreparedRef,
    options: { readonly by: string; readonly onWait: (who: string) => void; readonly signal: AbortSignal },
    task: () => Promise<T>,
  ): Promise<T>;
  /** Call it before the commands run in a pristine checkout. */
  snapshot(checkout: string): Promise<CheckoutSnapshot>;
  /**
   * Takes what the commands made out of the checkout, which is useless afterwards. What cannot be given to another checkout
   * unchanged is not kept (special files, changes to the checkout's git folder), nor anything on a full disk; the reason is
   * remembered for the life of this process. Others that were not used for longest make room.
   */
  keep(
    ref: PreparedRef,
    made: { readonly before: CheckoutSnapshot; readonly name: string; readonly tree: string; readonly ms: number },
  ): Promise<Kept>;
  /** The reason why a preparation with this key could not be kept before. */
  whyNotKept(ref: PreparedRef): string | undefined;
  /**
   * Puts a private copy of an entry into a checkout on the same file system: nothing written there reaches the entry. An entry
   * that was changed since it was made is dropped, and nothing is put anywhere. The reasons are for people.
   */
  copyTo(ref: PreparedRef, checkout: string): Promise<Copied>;
  /** Keeps no preparation with this key for the life of this process. `why` is for people. */
  refuse(ref: PreparedRef, why: string): void;
  /** The identity of programs and files outside: it changes when one is replaced. */
  identityOf(options: {
    readonly programs: readonly string[];
    readonly paths: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  }): Promise<OutsideIdentity>;
  /** All entries, the last used first. */
  list(): Promise<readonly PreparedTree[]>;
  /** Removes all entries but those that are being made. Gives the number of removed ones. */
  clear(): Promise<number>;
}
