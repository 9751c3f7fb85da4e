import { createHash } from 'node:crypto';
import type { PageData } from './charts/chart.js';
import type { Assets } from './runs.js';
import { styleSheet } from './style-sheet.js';

/** Holds HTML that is already escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | null | undefined | false | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function print(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(print).join('');
  return String(part).replace(/[&<>"']/g, (each) => entities[each] as string);
}

/** Builds HTML from a template. Text is escaped, markup is not, lists are joined, and null and false are empty. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.map((text, index) => text + print(parts[index])).join(''));
}

/** Formats JSON that is safe inside a script element. */
export function scriptJson(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));
}

/** Prints a self-contained page. It runs only its own scripts and loads nothing. */
export function printDocument(
  title: string,
  body: Markup,
  data: PageData,
  { uplotScript, uplotStyle, drawScript }: Assets,
): string {
  const allowed = [uplotScript, drawScript].map(
    (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  const scripts = `script-src ${allowed.join(' ')}; connect-src 'none'`;
  const sources = `img-src data:; style-src 'unsafe-inline'; ${scripts}`;
  const policy = `default-src 'none'; ${sources}; base-uri 'none'; form-action 'none'`;
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
<script type="application/json" id="page-data">${scriptJson(data)}<\/script>
<script>${new Markup(uplotScript)}<\/script>
<script type="module">${new Markup(drawScript)}<\/script>
</body>
</html>
`.text;
}
