/** Holds each colour for light and dark mode. The lines are those of Okabe and Ito, adapted to either background. */
const palette: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  ...{ paper: ['#ffffff', '#14171b'], ink: ['#1a1d21', '#e8ebef'], aside: ['#5a626b', '#a3adb8'] },
  ...{ rule: ['#d5dae0', '#363d46'], grid: ['#e6e9ed', '#272d34'], panel: ['#f6f7f9', '#1c2127'] },
  ...{ good: ['#00674b', '#4fd1a5'], doubtful: ['#8a4b00', '#ffc163'], bad: ['#a8160c', '#ff9385'] },
  ...{ 'good-fill': ['#009e73', '#00a87a'], 'bad-fill': ['#c8321f', '#e8604f'], 'open-fill': ['#7a8694', '#8794a3'] },
  ...{ 'good-ground': ['#e3f6ef', '#0d3327'], 'doubtful-ground': ['#fff3d6', '#3a2c0c'] },
  ...{ 'bad-ground': ['#ffe4e0', '#43160f'], focus: ['#0058a8', '#8cc8ff'], link: ['#0058a8', '#8cc8ff'] },
  band: ['rgba(90, 110, 140, 0.10)', 'rgba(160, 185, 220, 0.12)'],
  'band-other': ['rgba(90, 110, 140, 0.055)', 'rgba(160, 185, 220, 0.06)'],
  'band-equal': ['rgba(0, 125, 91, 0.16)', 'rgba(47, 208, 160, 0.20)'],
  ...{ 'line-0': ['#0072b2', '#56b4e9'], 'line-1': ['#c44d00', '#ff8a3d'], 'line-2': ['#007d5b', '#2fd0a0'] },
  ...{ 'line-3': ['#a83e80', '#e39ac4'], 'line-4': ['#946000', '#e6b422'], 'line-5': ['#2b83b8', '#8ab8ff'] },
  ...{ 'line-6': ['#3d444d', '#d7dce2'], 'line-7': ['#6b4fbb', '#b59cff'] },
};

const variables = (mode: 0 | 1): string =>
  Object.entries(palette)
    .map(([name, colors]) => `--${name}: ${colors[mode]};`)
    .join(' ');

const lines = Object.keys(palette)
  .filter((name) => name.startsWith('line-'))
  .map((name) => `.${name} { stroke: var(--${name}); } circle.${name} { fill: none; stroke-width: 2; }`);

/** Styles every page: light and dark, narrow and wide, and on paper. */
export const styleSheet = `
:root { color-scheme: light dark; ${variables(0)} }
@media (prefers-color-scheme: dark) { :root:not([data-print]) { ${variables(1)} } }
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 1200px; padding: 1rem 1.25rem 4rem;
  background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
}
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2rem 0 0.5rem; padding-top: 0.75rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 1.25rem 0 0.25rem; }
h4 { font-size: 0.95rem; margin: 0.5rem 0 0.25rem; }
a, summary { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.5rem; background: var(--paper); padding: 0.5rem; z-index: 9; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0; list-style: none; margin: 0.5rem 0; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
pre { overflow: auto; background: var(--panel); padding: 0.75rem; }
pre.lines { overflow-wrap: normal; }
.aside { color: var(--aside); font-size: 0.9rem; }
.doubtful { color: var(--doubtful); font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; } .title { font-weight: 700; }
.answer { border-left: 8px solid var(--link); padding: 0.25rem 1rem; background: var(--panel); }
.answer p { font-size: 1.1rem; margin: 0.4rem 0; }
.notice { border: 2px solid var(--doubtful); border-radius: 4px; padding: 0.5rem 1rem; }
.notice { background: var(--doubtful-ground); }
.answer:has(.doubtful) { border-color: var(--doubtful); }
.answer:has(.bad) { border-color: var(--bad); background: var(--bad-ground); }
.opening { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 0 2rem; }
.opening h2 { border: none; padding: 0; margin: 0.25rem 0; font-size: 1.05rem; }
.scroll {
  overflow-x: auto; margin: 0.5rem 0 1rem; background-repeat: no-repeat;
  background-image: linear-gradient(90deg, var(--paper) 40%, transparent),
    linear-gradient(270deg, var(--paper) 40%, transparent),
    linear-gradient(90deg, var(--open-fill), transparent), linear-gradient(270deg, var(--open-fill), transparent);
  background-position: left, right, left, right; background-size: 3rem 100%, 3rem 100%, 0.9rem 100%, 0.9rem 100%;
  background-attachment: local, local, scroll, scroll;
}
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td { padding: 0.2rem 0.75rem 0.2rem 0; text-align: left; vertical-align: top; }
th, td { border-bottom: 1px solid var(--rule); }
thead th { vertical-align: bottom; color: var(--aside); font-weight: 600; }
tbody th { font-weight: 500; }
tbody th code { white-space: nowrap; }
td { min-width: 3.5rem; }
td:last-child:not(.number) { min-width: 9rem; }
.number { text-align: right; }
.interval { color: var(--aside); white-space: nowrap; }
details { margin: 0.5rem 0; }
summary { cursor: pointer; width: fit-content; }
summary h2 { display: inline; border: none; padding: 0; }
.closed { border-top: 1px solid var(--rule); padding: 0.4rem 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 500px), 1fr)); gap: 0 2rem; }
figure { margin: 0.5rem 0 1.5rem; min-width: 0; }
figcaption p { margin: 0 0 0.5rem; color: var(--aside); font-size: 0.9rem; }
figcaption p::first-letter { text-transform: uppercase; }
.plot { width: 100%; min-height: 280px; }
.small .plot { min-height: 150px; }
[data-drawn] .plot { min-height: 0; }
.at { font-size: 0.85rem; color: var(--aside); padding: 0.1rem 0; }
.legend, .bar ul { display: flex; flex-wrap: wrap; padding: 0; margin: 0.25rem 0; list-style: none; }
.legend { gap: 0.25rem 0.5rem; min-height: 1.8rem; }
.entry {
  display: inline-block; font: inherit; font-size: 0.85rem; color: inherit; background: none; text-align: left;
  border: 1px solid transparent; border-radius: 4px; padding: 0.1rem 0.5rem 0.1rem 0; overflow-wrap: anywhere;
}
.legend button { border-color: var(--rule); padding-left: 0.5rem; cursor: pointer; }
.legend button[aria-pressed="false"] { color: var(--aside); border-style: dashed; }
.legend button[aria-pressed="false"] .name { text-decoration: line-through; }
.legend button:disabled { cursor: default; }
.value { font-variant-numeric: tabular-nums; font-weight: 600; }
.cursor { display: block; width: 100%; height: 1.25rem; margin: 0; accent-color: var(--link); }
.cursor:not(:focus-visible) { height: 1px; opacity: 0; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.shards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr)); gap: 0 1.5rem; }
.small .name, .small .entry svg { display: none; }
.bar svg { display: block; width: 100%; height: 1.5rem; }
.bar ul { gap: 0.1rem 1.25rem; font-size: 0.9rem; }
.bar li svg { display: inline-block; width: 14px; height: 14px; vertical-align: -2px; }
rect.good { fill: var(--good-fill); } rect.open { fill: var(--open-fill); } rect.bad { fill: url(#hatch); }
#hatch rect { fill: var(--bad-fill); } #hatch path { stroke: var(--paper); stroke-width: 2; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; margin: 0.5rem 0; }
.picture { max-width: 60rem; } .picture svg { overflow: visible; }
.picture text { font-size: 0.95rem; fill: var(--ink); }
.picture text { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.picture .figures { font-variant-numeric: tabular-nums; }
.picture .tick { font-size: 0.8rem; fill: var(--aside); } .picture .grid { stroke: var(--rule); }
.picture .zero { stroke: var(--aside); stroke-width: 1.5; }
.picture .within { fill: var(--band-equal); }
.picture .own { stroke-width: 6; } .picture .joint { stroke-width: 2; } .picture circle { stroke-width: 2.5; }
.picture .apart { stroke: var(--line-0); fill: var(--line-0); }
.picture .equal { stroke: var(--line-2); fill: var(--line-2); }
.picture .open { stroke: var(--line-6); } .picture circle.open { fill: var(--paper); }
.picture .bracket { fill: var(--line-0); fill-opacity: 0.35; } .picture .reach { stroke: var(--line-0); }
.picture line.median { stroke: var(--line-0); stroke-width: 4; } .picture rect.median { fill: var(--line-0); }
.picture .tail { stroke: var(--line-0); fill: var(--paper); }
.key { display: flex; flex-wrap: wrap; gap: 0.1rem 1.25rem; padding: 0; margin: 0.25rem 0; list-style: none; }
.key { font-size: 0.9rem; color: var(--aside); } .key svg { vertical-align: -2px; }
.ticker { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); grid-auto-flow: row; }
.ticker dd { font-weight: 600; font-variant-numeric: tabular-nums; margin-bottom: 0.5rem; }
dt { color: var(--aside); } dd { margin: 0; overflow-wrap: anywhere; }
.defs { position: absolute; width: 0; height: 0; }
${lines.join('\n')}
@media (max-width: 560px) {
  body { padding: 0.5rem 0.75rem 3rem; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.4rem; }
  .list, .list tbody, .list tr, .list td, .list tbody th { display: block; }
  .list thead { position: absolute; clip-path: inset(50%); }
  .list tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(5.5rem, 1fr)); gap: 0.1rem 0.75rem; }
  .list tr { padding: 0.4rem 0; border-bottom: 1px solid var(--rule); }
  .list td, .list tbody th { border: none; padding: 0; text-align: left; min-width: 0; overflow-wrap: anywhere; }
  .list tbody th, .list td:not(.number) { grid-column: 1 / -1; } .list tbody th { font-weight: 600; }
  .list td:empty { display: none; }
  .list .number::before { content: attr(data-name); display: block; color: var(--aside); font-size: 0.75rem; }
  .list :not(.number)[data-name]::before { content: attr(data-name) ' '; color: var(--aside); font-weight: 400; }
  h1 { font-size: 1.35rem; } .picture text { font-size: 0.8rem; } .picture .tick { font-size: 0.75rem; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 11pt; }
  nav, .skip, .cursor, .at { display: none; }
  details:not([open]) { display: none; }
  figure, .verdict, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .legend button { border: none; }
  .legend li:has(button[aria-pressed="false"]) { display: none; }
  .scroll { overflow: visible; }
  .charts { display: block; }
  .shards { grid-template-columns: 1fr 1fr; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
