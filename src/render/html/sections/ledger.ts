import { readableCauses } from '../../../measure/causes.js';
import { type Books, countIn, type Sum, shadeOf } from '../../../measure/ledger.js';
import { sumCauses } from '../../../measure/samples/sample-sum.js';
import type { RunResult } from '../../../results/result.js';
import { causesInWords, countText, shareOf } from '../../../units/text.js';
import { html, type Markup } from '../document.js';
import type { Report, ReportRun } from '../runs.js';

type Ledger = RunResult['ledger'];

export function ledgerSection({ runs, scenario }: Report): Markup {
  return html`${runs.map((run) => {
    const { ledger } = run.result;
    const sums = sumsOf(scenario.books, ledger);
    const bars = sums.map((sum) => bar(scenario.books, sum, ledger));
    const drawn = sums.map(({ whole, parts }) => startOf(ledger, whole[0], parts[0]?.[0] ?? ''));
    const lines = scenario
      .ledgerLines(ledger)
      .filter(([, text]) => !drawn.some((start) => text.startsWith(start)))
      .map(([label, text]) => html`<dt>${label}</dt><dd>${text}</dd>`);
    const heading = runs.length > 1 && html`<h3>${run.label}</h3>`;
    return html`<section class="ledger" aria-label="${`Ledger of ${run.label}`}">${heading}
${bars}
<dl>${lines}${causes(run)}</dl></section>
`;
  })}`;
}

/** Returns the start of a line that a bar repeats: `200 = 198 `. */
function startOf(ledger: Ledger, whole: string, part: string): string {
  return `${countText(Number(ledger[whole]))} = ${countText(Number(ledger[part]))} `;
}

/** Returns the sums with complete counts. Of several with one title, it returns the first. */
export function sumsOf({ sums }: Books, ledger: Ledger): Sum[] {
  const drawn = new Set<string>();
  return sums.filter(({ whole: [entry, title], parts, isDetail }) => {
    if (isDetail) return false;
    const isThere = [entry, ...parts.map(([part]) => part)].every((name) => countIn(ledger, name) !== null);
    if (!isThere || drawn.has(title)) return false;
    drawn.add(title);
    return true;
  });
}

const widthPx = 1000;

function bar(books: Books, { whole: [entry, title], parts: named }: Sum, ledger: Ledger): Markup {
  const parts = named.map((part) => ({ size: Number(ledger[part[0]]), name: part[1], kind: shadeOf(books, part) }));
  const whole = Number(ledger[entry]);
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  const scale = widthPx / Math.max(1, whole, total);
  let end = 0;
  const pieces = parts.map(({ size, kind }) => {
    end += size * scale;
    // A single loss among millions stays visible.
    const width = Math.max(3, size * scale);
    const x = Math.min(end - size * scale, widthPx - width);
    return size > 0 && html`<rect class="${kind}" x="${x.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="18"/>`;
  });
  const words = parts.map(({ size, name }) => `${countText(size)} ${name}`).join(' + ');
  const sum = total === whole ? 'adds up' : `does NOT add up: the parts come to ${countText(total)}`;
  const label = `${countText(whole)} ${title} = ${words}; ${sum}`;
  const keys = parts.map(({ size, name, kind }) => {
    const square = html`<rect class="${kind}" width="14" height="14"/>`;
    const key = html`<svg width="14" height="14" aria-hidden="true">${square}</svg>`;
    return html`<li>${key} <data value="${size}">${countText(size)}</data> ${name} (${shareOf(size, whole)})</li>`;
  });
  return html`<figure class="bar">
<figcaption><data value="${whole}">${countText(whole)}</data> ${title}: ${sum}</figcaption>
<svg role="img" aria-label="${label}" viewBox="0 0 ${widthPx} 18" preserveAspectRatio="none">${pieces}</svg>
<ul>${keys}</ul></figure>`;
}

function causes({ result: { ledger, shards } }: ReportRun): Markup[] {
  const inLedger = Object.entries(ledger).flatMap(([name, found]) =>
    typeof found === 'object' ? [[name, found] as const] : [],
  );
  const byOccasion = sumCauses(shards.map(({ result }) => result?.causes ?? {}));
  const told = Object.entries(byOccasion).map(
    ([occasion, found]) => [`causes, ${occasion}`, readableCauses(occasion, found)] as const,
  );
  return [...inLedger, ...told].flatMap(([name, found]) =>
    Object.keys(found).length > 0 ? [html`<dt>${name}</dt><dd>${causesInWords(found)}</dd>`] : [],
  );
}
