import { Html } from "./html.ts";

const LIGHT = `--bg:#f6f7f9;--card:#fff;--ink:#1b1f26;--muted:#59616f;--line:#dfe2e8;--soft:#eef0f4;
--good:#18703a;--bad:#b3261e;--person:#8a5200;--run:#0a62a8;--oracle:#6d3fc4;
--fgood:#1f8548;--fbad:#c4403a;--fperson:#a5640c;--frun:#1f70b8;--fwait:#b9c0cc;--fpast:#9fb4cc`;
const DARK = `--bg:#0e1116;--card:#161b22;--ink:#e7eaef;--muted:#9ca6b5;--line:#2b323d;--soft:#1d242e;
--good:#57cb8c;--bad:#ff8a80;--person:#f2b64a;--run:#74b8ff;--oracle:#c3a2ff;
--fgood:#1f8548;--fbad:#c4403a;--fperson:#a5640c;--frun:#1f70b8;--fwait:#4d5766;--fpast:#46586e`;

const BASE = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;padding:0 16px 64px;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
body>*{max-width:1180px;margin-inline:auto}
code,pre,.id,.deps{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.92em}
h1,h2,h3,p,ul,ol,dl,dd,figure,pre{margin:0;padding:0}
ul,ol{list-style:none}
a{color:var(--run)}
.muted,small,figcaption span,.facts dt,.facts span{color:var(--muted)}
small{font-weight:400;font-size:.8em}
.t-good{color:var(--good)}.t-bad{color:var(--bad)}.t-person{color:var(--person)}.t-running{color:var(--run)}.t-waiting{color:var(--muted)}.t-oracle{color:var(--oracle)}
.f-good{fill:var(--fgood)}.f-bad{fill:var(--fbad)}.f-person{fill:var(--fperson)}.f-running{fill:var(--frun)}.f-waiting{fill:var(--fwait)}.f-past{fill:var(--fpast)}
`;

const TOP = `
.top{margin-top:24px;background:var(--card);border:1px solid var(--line);border-top:5px solid var(--tone);border-radius:12px;padding:20px 24px}
.top.good{--tone:var(--good)}.top.bad{--tone:var(--bad)}.top.running{--tone:var(--run)}
.kicker{color:var(--muted);font-size:.86em}
h1{font-size:clamp(1.35rem,4.2vw,2rem);line-height:1.25;margin:6px 0 4px}
.verdict{color:var(--tone)}.batch{font-weight:500;color:var(--muted)}
.warn{color:var(--person);margin-top:6px}
.oracle{margin:18px 0 16px}.oracle svg{display:block}.oracle figcaption{margin-top:6px;font-size:.9em;display:flex;flex-wrap:wrap;gap:2px 14px}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(124px,1fr));gap:12px 18px;border-top:1px solid var(--line);padding-top:14px}
.facts dt{font-size:.8em}.facts dd b{font-size:1.3em;font-variant-numeric:tabular-nums}.facts span{font-size:.84em;display:block}
nav{margin-top:14px}nav ul{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:.92em}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px 24px;margin-top:16px;scroll-margin-top:12px}
h2{font-size:1.12rem;margin-bottom:12px}h3{font-size:1em;font-weight:500}
.cards{display:grid;gap:14px}
.step{white-space:pre-wrap;user-select:all;background:var(--soft);border-left:4px solid var(--person);border-radius:4px;padding:10px 14px;margin:6px 0 4px;font-size:.95em}
.plain{display:grid;gap:10px}.plain p{color:var(--muted);padding-left:1.3em}
`;

const TABLES = `
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;font-size:.94em}
th,td{text-align:left;vertical-align:top;padding:6px 12px 6px 0;border-top:1px solid var(--line);font-weight:400}
thead th{border-top:0;color:var(--muted);font-size:.86em;white-space:nowrap;vertical-align:bottom}
tbody th{min-width:200px}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.state,.id,.deps,td code{white-space:nowrap}.sha{padding-left:12px}.deps{white-space:normal;min-width:90px;color:var(--muted)}
.id{font-weight:650}.repo{color:var(--muted);font-size:.82em;border:1px solid var(--line);border-radius:999px;padding:0 7px;white-space:nowrap}
.ledger{width:auto}.ledger th[scope=row]{padding-right:28px}.ledger .now{font-weight:650;color:var(--ink)}.ledger .n{padding-left:14px}
.groups{display:grid;grid-template-columns:repeat(auto-fill,minmax(270px,1fr));gap:20px 36px;align-items:start}.groups thead th{font-weight:650;color:var(--ink);font-size:1em}.groups tbody th{min-width:0}.groups .now{font-weight:650}
.group{font-weight:650;padding-top:16px;border-top:0}
.scroll+.muted,.groups+.muted,.trends+.muted{margin-top:10px;font-size:.88em}
.trends{display:flex;flex-wrap:wrap;gap:10px 40px;margin-bottom:14px}.trends svg{max-width:100%;height:auto;display:block}.trends figcaption{font-size:.88em}
.hollow{fill:none;stroke:var(--muted);stroke-dasharray:3 2}
`;

const DRAWINGS = `
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:var(--ink)}
svg .tick,.names text{font-size:11px;fill:var(--muted)}
.timeline{display:flex}.names{flex:none}.plot{flex:1;min-width:0;display:block}
.grid{stroke:var(--line)}.b-bad{fill:url(#hatch)}.hatch{fill:#fff;opacity:.28}
.bar{stroke:var(--card);stroke-width:1}.line{opacity:.75}
.legend{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:.86em;color:var(--muted);margin-top:8px}
.k{display:inline-block;width:14px;height:10px;border-radius:2px}.k.f-good{background:var(--fgood)}.k.f-person{background:var(--fperson)}.k.f-waiting{background:var(--fwait)}.k.f-running{background:var(--frun)}
.k-bad{background:repeating-linear-gradient(135deg,var(--fbad) 0 3px,color-mix(in srgb,var(--fbad) 72%,#fff) 3px 5px)}.k-line{height:3px;vertical-align:middle;background:var(--fgood)}
.graph{max-height:80vh;overflow:auto}
.graph svg{display:block}
.edge{fill:none;stroke:var(--fwait);stroke-width:1.3}.edge.long{stroke:var(--ink);stroke-width:2.6}
.node rect{fill:var(--soft);stroke:var(--line)}.node.long rect{stroke:var(--ink);stroke-width:2}
.node .side{stroke:none}.node .side.f-good{fill:var(--fgood)}.node .side.f-bad{fill:var(--fbad)}.node .side.f-person{fill:var(--fperson)}.node .side.f-running{fill:var(--frun)}.node .side.f-waiting{fill:var(--fwait)}
.node .nid{font-weight:650}.node .ntitle{font-size:11px;fill:var(--muted)}
.k-long{height:3px;vertical-align:middle;background:var(--ink)}
`;

const REST = `
details{border-top:1px solid var(--line);padding:8px 0}details:first-of-type{border-top:0}
summary{cursor:pointer}summary .muted{margin-left:6px;font-size:.9em}
.attempts{list-style:decimal;padding-left:1.6em;margin:8px 0}.attempts li{margin:4px 0}
details h3{margin-top:10px}
details pre{background:var(--soft);border-radius:6px;padding:10px 12px;margin:6px 0 10px;overflow:auto;max-height:420px;font-size:.84em;line-height:1.45;overflow-wrap:normal}
.about{display:grid;grid-template-columns:repeat(auto-fill,minmax(260px,1fr));gap:8px 24px;margin-bottom:12px;font-size:.92em}.about dt{color:var(--muted);font-size:.86em}
:focus-visible{outline:2px solid var(--run);outline-offset:2px;border-radius:3px}
@media(max-width:560px){body{padding:0 8px 40px}.top,section{padding:14px 14px;border-radius:9px}.facts{grid-template-columns:repeat(2,1fr)}}
@media print{body{background:#fff;padding:0;font-size:11px}body>*{max-width:none}nav{display:none}.top,section{border:0;border-top:1px solid var(--line);border-radius:0;padding:10px 0}
.scroll,.graph,details pre{overflow:visible;max-height:none}details pre{white-space:pre-wrap;overflow-wrap:anywhere}.graph svg{max-width:100%;height:auto}
details::details-content{content-visibility:visible;display:block}tr,li,figure{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`;

/** The page's styles: light, dark if the reader's system is, for paper, and from 320 pixels up. */
export const STYLE = new Html(
  `:root{color-scheme:light dark;${LIGHT}}@media screen and (prefers-color-scheme:dark){:root{${DARK}}}${BASE}${TOP}${TABLES}${DRAWINGS}${REST}`,
);
