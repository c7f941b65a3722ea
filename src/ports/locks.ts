/** Who holds a lock, for the message to the second one. */
export interface LockHolder {
  readonly pid: number;
  readonly run: string;
  readonly since: number;
}

/** Held until released or until the process is gone, however it goes. */
export interface Lock extends Disposable {
  readonly resource: string;
}

/** Locks between engines on one machine. */
export interface Locks {
  /** Takes all or none. Where one is held by a living engine, says which and by whom. */
  take(
    resources: readonly string[],
    holder: LockHolder,
  ):
    | { readonly ok: true; readonly locks: readonly Lock[] }
    | { readonly ok: false; readonly resource: string; readonly holder?: LockHolder };
  /** Whether somebody holds it now. */
  isHeld(resource: string): boolean;
}
