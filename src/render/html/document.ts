import { createHash } from 'node:crypto';
import type { PageData } from './charts/chart.js';
import { html, Markup, scriptJson } from './markup.js';
import { styleSheet } from './style-sheet.js';

/** A whole page. */
export interface Document {
  title: string;
  body: Markup;
  data: PageData;
  uplotStyle: string;
  /** In order. */
  scripts: readonly { text: string; isModule: boolean }[];
  /** Where scripts may connect to: nowhere, or the page's own server. */
  connects: 'none' | 'self';
}

/** A self-contained page: only its own scripts run, and it loads nothing. */
export function printDocument({ title, body, data, uplotStyle, scripts, connects }: Document): string {
  const allowed = scripts.map(({ text }) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
  const sources = `img-src data:; style-src 'unsafe-inline'; script-src ${allowed}; connect-src '${connects}'`;
  const policy = `default-src 'none'; ${sources}; base-uri 'none'; form-action 'none'`;
  const elements = scripts.map(({ text, isModule }) => {
    return html`<script${isModule && html` type="module"`}>${new Markup(text)}</script>\n`;
  });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${new Markup(uplotStyle)}${new Markup(styleSheet)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the figures</a>
<svg class="defs" aria-hidden="true"><defs>
<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">
<rect width="6" height="6"/><path d="M0 6 L6 0"/></pattern>
</defs></svg>
${body}
<script type="application/json" id="page-data">${scriptJson(data)}</script>
${elements}</body>
</html>
`.text;
}
