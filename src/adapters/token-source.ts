/** A service's token. It may be another one for each request. */
export interface TokenSource {
  get(): Promise<string>;
  /** Fetches the token again after the service refused it. Throws if there is none. */
  renew(refused: string): Promise<string>;
}
