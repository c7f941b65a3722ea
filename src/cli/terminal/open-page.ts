import { startApart } from "../../adapters/executor/start-apart.ts";

/** The variables that a browser needs to find the person's screen and session. No token is among them. */
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_.*|DBUS_SESSION_BUS_ADDRESS|BROWSER|DESKTOP_SESSION|TMPDIR)$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** The program that opens pages, if this machine has a screen in front of the person; undefined otherwise. */
export function openerOf(env: Environment, platform: NodeJS.Platform): string | undefined {
  if (platform === "darwin") return env["SSH_CONNECTION"] === undefined ? "open" : undefined;
  const hasScreen = [env["DISPLAY"], env["WAYLAND_DISPLAY"]].some((display) => display !== undefined && display !== "");
  return hasScreen ? "xdg-open" : undefined;
}

/** The address of a page on the web, in printable ASCII; undefined for any other text. */
export function pageAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return (protocol === "https:" || protocol === "http:") && /^[!-~]+$/.test(href) ? href : undefined;
}

/** Opens a page by that program. The address is one word of its command line, and no shell reads it. */
export function openPage(opener: string, address: string, env: Environment, failed: (why: string) => void): void {
  const passed = Object.entries(env).flatMap(([name, value]) =>
    PASSED.test(name) && value !== undefined ? [[name, value]] : [],
  );
  startApart([opener, address], { env: Object.fromEntries(passed), failed });
}
