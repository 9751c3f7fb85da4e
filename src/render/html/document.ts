import { createHash } from 'node:crypto';
import type { PageData } from './charts/chart.js';
import { html, Markup, scriptJson } from './markup.js';
import { styleSheet } from './style-sheet.js';

/** A whole page, and what stands in it besides its body. */
export interface Document {
  title: string;
  body: Markup;
  data: PageData;
  uplotStyle: string;
  /** Run in this order. */
  scripts: readonly { text: string; isModule: boolean }[];
  /** Where the scripts may connect to: nowhere, or the server that the page came from. */
  connects: 'none' | 'self';
}

/** The text of a page that carries all it needs: no script runs but its own, and it can ask nobody for anything. */
export function printDocument({ title, body, data, uplotStyle, scripts, connects }: Document): string {
  const allowed = scripts.map(({ text }) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
  const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src ${allowed}; connect-src '${connects}'; base-uri 'none'; form-action 'none'`;
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
<svg class="defs" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6"/><path d="M0 6 L6 0"/></pattern></defs></svg>
${body}
<script type="application/json" id="page-data">${scriptJson(data)}</script>
${scripts.map(({ text, isModule }) => html`<script${isModule ? html` type="module"` : ''}>${new Markup(text)}</script>\n`)}</body>
</html>
`.text;
}
