import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, chromium } from "./browser.ts";
import { PAGES } from "./pages.ts";

const program = chromium();
if (program === undefined) console.warn("skipped: no Chromium on this machine; the report is not looked at in a browser");

type Name = keyof typeof PAGES;
const NAMES = Object.keys(PAGES) as readonly Name[];
const WIDTHS = [320, 360, 768, 1440] as const;
const SCHEMES = ["light", "dark"] as const;

/** Elements that reach out of the page to the right, beside those within something that scrolls by itself. */
const OVERFLOWING = `(() => {
  const scrolls = (e) => e !== null && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  const edge = document.documentElement.clientWidth + 0.5;
  return [...document.body.querySelectorAll("*")]
    .filter((e) => !(e instanceof SVGElement && !(e instanceof SVGSVGElement)) && e.ownerSVGElement == null)
    .filter((e) => e.getBoundingClientRect().right > edge && !scrolls(e.parentElement) && !scrolls(e))
    .map((e) => e.outerHTML.slice(0, 120));
})()`;

/** The least contrast (WCAG 2.2, 1.4.3) of any text that is shown, with what it is: the text's colour on the colours under it. */
const LEAST_CONTRAST = `(() => {
  const parse = (c) => (c.match(/[\\d.]+/g) ?? []).map(Number);
  const lum = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const under = (e) => { for (let at = e; at; at = at.parentElement) {
    if (at instanceof SVGElement) { const bar = at.closest("svg.l0,svg.l1,svg.l2")?.parentElement?.querySelector("rect");
      if (bar) { const f = getComputedStyle(bar).fill; return f.startsWith("url") ? parse(getComputedStyle(document.querySelector("#hatch rect")).fill) : parse(f); }
      const box = at.closest("g.node")?.querySelector("rect"); if (box) return parse(getComputedStyle(box).fill); }
    const c = parse(getComputedStyle(at).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  let least = { ratio: 99, text: "" };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const e = n.parentElement; if (!n.data.trim() || !e.checkVisibility() || e.localName === "title") continue;
    const style = getComputedStyle(e);
    const [a, b] = [lum(parse(e instanceof SVGElement ? style.fill : style.color)), lum(under(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < least.ratio) least = { ratio, text: n.data.trim().slice(0, 60) };
  }
  return least;
})()`;

describe.skipIf(program === undefined)("the report in a browser", () => {
  const path = mkdtempSync(join(tmpdir(), "loopdash-report-"));
  const urls = {} as Record<Name, string>;
  let browser: Browser;

  beforeAll(async () => {
    for (const name of NAMES) {
      const file = join(path, `${name}.html`);
      writeFileSync(file, PAGES[name]());
      urls[name] = pathToFileURL(file).href;
    }
    browser = await Browser.start(program ?? "");
  }, 60_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    rmSync(path, { recursive: true, force: true });
  });

  describe.each(NAMES)("%s", (name) => {
    test.each(WIDTHS)("fits %i pixels, asks for nothing and complains of nothing", async (width) => {
      await browser.show(urls[name], { width, scheme: "light" });
      expect(await browser.evaluate("document.documentElement.clientWidth")).toBe(width);
      expect(await browser.evaluate(OVERFLOWING)).toEqual([]);
      expect(await browser.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(browser.deeds).toEqual([]);
    });

    test.each(SCHEMES)("can be read in %s", async (scheme) => {
      await browser.show(urls[name], { width: 1440, scheme });
      await browser.evaluate(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`);
      const background = await browser.evaluate<string>("getComputedStyle(document.body).backgroundColor");
      expect(background).toBe(scheme === "light" ? "rgb(246, 247, 249)" : "rgb(14, 17, 22)");
      const { ratio, text } = await browser.evaluate<{ ratio: number; text: string }>(LEAST_CONTRAST);
      expect(ratio, text).toBeGreaterThanOrEqual(4.5);
      expect(browser.deeds).toEqual([]);
    });
  });

  test("hostile text is text: nothing of it runs, loads or becomes an element", async () => {
    await browser.show(urls.hostile, { width: 1440, scheme: "light" });
    await browser.evaluate(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`);
    await browser.evaluate(
      `document.querySelectorAll("body *").forEach((e) => e.dispatchEvent(new MouseEvent("mouseover", { bubbles: true })))`,
    );
    expect(browser.deeds).toEqual([]);
    expect(await browser.evaluate("document.title")).toMatch(/^✖ NOT DONE, says the oracle: <\/style>/);
    expect(
      await browser.evaluate(`document.querySelectorAll("script, img, iframe, base, [onload], [onmouseover], [onerror]").length`),
    ).toBe(0);
    expect(await browser.evaluate(`document.querySelectorAll("style, title:not(svg title)").length`)).toBe(2);
    expect(await browser.evaluate("document.body.innerText")).toContain(`<script>document.title='owned'</script>`);
  });

  test("were markup let in, it would be refused by the page's own policy", async () => {
    const file = join(path, "planted.html");
    const planted = `<img src="http://127.0.0.1:9/x.png"><script>document.title = "owned"</script>`;
    writeFileSync(file, PAGES.done().replace("<main>", `<main>${planted}`));
    await browser.show(pathToFileURL(file).href, { width: 800, scheme: "light" });
    expect(await browser.evaluate("document.title")).toMatch(/^✔ DONE/);
    expect(browser.deeds.join("\n")).toMatch(/Content Security Policy/);
    expect(browser.deeds).toContain("refused: csp");
  });

  test("a step is copied whole with one click", async () => {
    await browser.show(urls.done, { width: 1440, scheme: "light" });
    expect(await browser.evaluate(`getComputedStyle(document.querySelector(".step")).userSelect`)).toBe("all");
    expect(await browser.evaluate(`document.querySelectorAll(".step")[1].textContent`)).toBe(
      "unlock the state bucket in the console, as the owner of the account: Storage, state, Unlock",
    );
  });

  test("labels of bars stand only where they have room", async () => {
    for (const width of WIDTHS) {
      await browser.show(urls.done, { width, scheme: "light" });
      const cut = await browser.evaluate<readonly string[]>(
        `[...document.querySelectorAll(".plot svg")].filter((s) => s.checkVisibility() && s.querySelector("text").getComputedTextLength() + 5 > s.parentElement.querySelector("rect").getBoundingClientRect().width).map((s) => s.textContent)`,
      );
      expect(cut, String(width)).toEqual([]);
    }
  });

  test("it prints", async () => {
    await browser.show(urls["not-done"], { width: 1440, scheme: "dark" });
    expect((await browser.paper()).subarray(0, 5).toString()).toBe("%PDF-");
  });
});
