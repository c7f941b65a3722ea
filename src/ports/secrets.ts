/** The values of the batch's secrets, in memory only. */
export interface Secrets {
  /**
   * The value of a secret, fetched at the first call and again once it has expired. Calls during a fetch share it. Rejects with
   * a SecretUnavailable.
   */
  get(name: string): Promise<string>;
  /**
   * Reads the values of variables and files, so that they are masked before a step asks for them. What cannot be read now is read
   * when it is needed. Starts no command.
   */
  preload(): Promise<void>;
  /** Fetches a secret again because `refused` was not accepted. Gives the current value at once if it is another one already. */
  renew(name: string, refused: string): Promise<string>;
  /** Forgets all values, and overwrites what of them lies in buffers. */
  forget(): void;
}

/** A file that holds a secret and should not. */
export interface SecretLeak {
  readonly secret: string;
  readonly path: string;
  /** The code of the error, if the file cannot be read and so may hold one. */
  readonly unreadable?: string;
}

/** Gives secrets to the steps of the batch that may have them. */
export interface StepSecrets {
  /**
   * The variables of a step's command, with the values of their secrets. Waits out a secret that cannot be fetched until the
   * signal is aborted, or until the time for an outage is over; then it rejects.
   */
  variables(
    step: { readonly command: readonly string[]; readonly env?: Readonly<Record<string, string>> | undefined },
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>>>;
  /** Finds the first file below these folders that holds a secret of these variables, in any value that it has had in this run. */
  findLeak(folders: readonly string[], env: Readonly<Record<string, string>>): Promise<SecretLeak | undefined>;
  /** Fetches the secrets of texts, so that those of a program's hosts are there before it starts. Waits as `variables` does. */
  fetch(texts: readonly string[], signal: AbortSignal): Promise<void>;
}
