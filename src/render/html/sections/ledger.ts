import { toldCauses } from '../../../measure/causes.js';
import { type Books, countIn, type Sum, shadeOf } from '../../../measure/ledger.js';
import type { RunResult } from '../../../results/result.js';
import { causesInWords, count, shareOf } from '../../../units/words.js';
import { html, type Markup } from '../markup.js';
import type { Report, ReportRun } from '../runs.js';

type Ledger = RunResult['ledger'];
/** The books of every run as bars whose parts come to the whole, and in sentences, with the causes of what is missing. */
export function ledgerSection({ runs, scenario }: Report): Markup {
  return html`${runs.map((run) => {
    const bars = sumsOf(scenario.books, run.result.ledger);
    return html`<section class="ledger" aria-label="${`Ledger of ${run.label}`}">${runs.length > 1 ? html`<h3>${run.label}</h3>` : ''}
${bars.map((sum) => bar(scenario.books, sum, run.result.ledger))}
<dl>${scenario.ledgerLines(run.result.ledger).map(([label, text]) => html`<dt>${label}</dt><dd>${text}</dd>`)}${causes(run)}</dl></section>
`;
  })}`;
}

/** The sums that a ledger has all entries of; of those with one title the first. */
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
  const parts = named.map((part) => [part[0], part[1], shadeOf(books, part)] as const);
  const of = (name: string): number => ledger[name] as number;
  const whole = of(entry);
  const total = parts.reduce((sum, [part]) => sum + of(part), 0);
  const scale = widthPx / Math.max(1, whole, total);
  let left = 0;
  const pieces = parts.flatMap(([part, , kind]) => {
    const from = left;
    left += of(part) * scale;
    // A single loss among millions must be seen.
    const width = of(part) > 0 ? Math.max(3, left - from) : 0;
    return width > 0
      ? [
          html`<rect class="${kind}" x="${Math.min(from, widthPx - width).toFixed(1)}" y="0" width="${width.toFixed(1)}" height="18"/>`,
        ]
      : [];
  });
  const words = parts.map(([part, name]) => `${count(of(part))} ${name}`).join(' + ');
  const foots = total === whole ? 'it foots' : `it does NOT foot: the parts come to ${count(total)}`;
  return html`<figure class="bar"><figcaption><data value="${whole}">${count(whole)}</data> ${title}: ${foots}</figcaption>
<svg role="img" aria-label="${`${count(whole)} ${title} = ${words}; ${foots}`}" viewBox="0 0 ${widthPx} 18" preserveAspectRatio="none">${pieces}</svg>
<ul>${parts.map(([part, name, kind]) => html`<li class="${kind}"><svg width="14" height="14" aria-hidden="true"><rect class="${kind}" width="14" height="14"/></svg> <data value="${of(part)}">${count(of(part))}</data> ${name} (${shareOf(of(part), whole)})</li>`)}</ul></figure>`;
}

/** Causes of the ledger, and those that shards counted by occasion, commonest first. */
function causes({ result: { ledger, shards } }: ReportRun): Markup[] {
  const byEntry = Object.entries(ledger).filter(
    (entry): entry is [string, Record<string, number>] => typeof entry[1] === 'object',
  );
  const byOccasion = new Map<string, Record<string, number>>();
  for (const { result } of shards) {
    for (const [occasion, found] of Object.entries(result?.causes ?? {})) {
      const sum = byOccasion.get(occasion) ?? {};
      for (const [cause, times] of Object.entries(found)) sum[cause] = (sum[cause] ?? 0) + times;
      byOccasion.set(occasion, sum);
    }
  }
  return [
    ...byEntry,
    ...[...byOccasion].map(([occasion, found]) => [`causes, ${occasion}`, toldCauses(occasion, found)] as const),
  ].flatMap(([name, found]) =>
    Object.keys(found).length > 0 ? [html`<dt>${name}</dt><dd>${causesInWords(found)}</dd>`] : [],
  );
}
