/** The holder of a lock, for the message to the second one. */
export interface LockHolder {
  readonly pid: number;
  readonly run: string;
  readonly since: number;
}

/** Held until it is released or the process is gone, for any reason. */
export interface Lock extends Disposable {
  readonly resource: string;
}

/** Locks between engines on one machine. */
export interface Locks {
  /** Takes all or none. If a living engine holds one, names the lock and its holder. */
  take(
    resources: readonly string[],
    holder: LockHolder,
  ):
    | { readonly ok: true; readonly locks: readonly Lock[] }
    | { readonly ok: false; readonly resource: string; readonly holder?: LockHolder };
  /** True if somebody holds it now. */
  isHeld(resource: string): boolean;
}
