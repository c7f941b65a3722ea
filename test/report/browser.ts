import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

/** The program of Chromium on this machine, or undefined. */
export function chromium(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((file) => existsSync(file));
}

type Message = { readonly id?: number; readonly method?: string; readonly params?: Record<string, unknown> } & Record<
  string,
  unknown
>;

/**
 * A headless Chromium with one page, driven by the DevTools protocol (https://chromedevtools.github.io/devtools-protocol). It is ended
 * at the end of the block.
 */
export class Browser implements AsyncDisposable {
  /** Everything that a page did which a report must not do: requests beside the page's own, messages of the console, dialogs. */
  readonly deeds: string[] = [];
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  readonly #events = new Map<string, PromiseWithResolvers<void>>();
  #session: string | undefined;
  #last = 0;
  #url = "";

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(String(data)) as Message));
  }

  static async start(program: string): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), "loopdash-browser-"));
    const child = spawn(
      program,
      [
        "--headless=new",
        "--remote-debugging-port=0",
        `--user-data-dir=${profile}`,
        // Root may not use Chromium's own sandbox; the pages are ours.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const socket = new WebSocket(await addressOf(child));
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve());
      socket.addEventListener("error", () => reject(new Error("Chromium cannot be reached")));
    });
    const browser = new Browser(child, profile, socket);
    await browser.#openPage();
    return browser;
  }

  async #openPage(): Promise<void> {
    const { targetId } = await this.#send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.#send("Target.attachToTarget", { targetId, flatten: true });
    this.#session = sessionId as string;
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await this.#send(`${domain}.enable`);
    await this.#send("Network.emulateNetworkConditions", {
      offline: true,
      latency: 0,
      downloadThroughput: 0,
      uploadThroughput: 0,
    });
  }

  /** Shows a file at a width in pixels and a scheme of colours; what it does is in `deeds`. */
  async show(
    url: string,
    options: { readonly width: number; readonly height?: number; readonly scheme: "light" | "dark" },
  ): Promise<void> {
    this.deeds.length = 0;
    this.#url = url;
    const { width, height = 900, scheme } = options;
    await this.#send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.#send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    const loaded = this.#event("Page.loadEventFired");
    await this.#send("Page.navigate", { url });
    await loaded;
  }

  /** What an expression gives in the page, as JSON. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  }

  /** The page on paper, as a PDF. */
  async paper(): Promise<Buffer> {
    const { data } = await this.#send("Page.printToPDF", { printBackground: true });
    return Buffer.from(data as string, "base64");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#process.once("exit", () => resolve()));
    this.#socket.close();
    this.#process.kill("SIGKILL");
    await gone;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  #send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = ++this.#last;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, answer);
    this.#socket.send(
      JSON.stringify({ id, method, params, ...(this.#session === undefined ? {} : { sessionId: this.#session }) }),
    );
    return answer.promise;
  }

  #event(method: string): Promise<void> {
    const event = Promise.withResolvers<void>();
    this.#events.set(method, event);
    return event.promise;
  }

  #take({ id, method = "", params = {}, result, error }: Message): void {
    if (id !== undefined) {
      const answer = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) answer?.resolve((result ?? {}) as Record<string, unknown>);
      else answer?.reject(new Error(JSON.stringify(error)));
      return;
    }
    this.#events.get(method)?.resolve();
    const request = params["request"] as { url?: string } | undefined;
    if (method === "Network.requestWillBeSent" && request?.url !== this.#url) this.deeds.push(`request: ${request?.url}`);
    const blocked = params["blockedReason"];
    if (method === "Network.loadingFailed" && blocked !== undefined) this.deeds.push(`refused: ${String(blocked)}`);
    if (method === "Page.javascriptDialogOpening") {
      this.deeds.push(`dialog: ${String(params["message"])}`);
      void this.#send("Page.handleJavaScriptDialog", { accept: false });
    }
    if (/^(?:Runtime\.(?:consoleAPICalled|exceptionThrown)|Log\.entryAdded)$/.test(method))
      this.deeds.push(`${method}: ${JSON.stringify(params)}`);
  }
}

/** Chromium tells on its standard error where it listens. */
async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error("Chromium has no standard error");
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      child.stderr.resume();
      return address;
    }
    said.push(line);
  }
  throw new Error(`Chromium did not start: ${said.join("\n")}`);
}
