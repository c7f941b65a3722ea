import type xterm from "@xterm/headless";

type Screen = InstanceType<typeof xterm.Terminal>;
type Cell = ReturnType<NonNullable<ReturnType<Screen["buffer"]["active"]["getLine"]>>["getCell"]>;

/** What @xterm/headless 6 knows of hyperlinks, which its API does not tell. */
interface LinkService {
  readonly _core: {
    readonly _oscLinkService: { getLinkData(id: number): { readonly uri: string } | undefined };
  };
}

/** The address that a cell leads to; "" for none. */
export function cellLink(screen: Screen, cell: Cell): string {
  const { urlId } = (cell as unknown as { readonly extended: { readonly urlId: number } }).extended;
  if (urlId === 0) return "";
  const link = (screen as unknown as LinkService)._core._oscLinkService.getLinkData(urlId);
  if (link === undefined) throw new Error(`no link ${urlId}`);
  return link.uri;
}

/** The linked texts of a screen with their addresses, from the top: neighbouring cells of one address are one text. */
export function linksOn(screen: Screen): readonly (readonly [text: string, url: string])[] {
  const { active } = screen.buffer;
  const found: [string, string][] = [];
  for (let y = 0; y < screen.rows; y++) {
    let before = "";
    for (let x = 0; x < screen.cols; x++) {
      const cell = active.getLine(active.baseY + y)?.getCell(x);
      const url = cellLink(screen, cell);
      const chars = cell?.getChars() || " ";
      const last = found.at(-1);
      if (url !== "" && url === before && last !== undefined) last[0] += chars;
      else if (url !== "") found.push([chars, url]);
      before = url;
    }
  }
  return found;
}
