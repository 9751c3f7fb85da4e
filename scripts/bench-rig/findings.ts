import { columns } from '../../src/render/words/table.js';
import type { Bench, Finding } from './bench.js';
import { type Bound, bounds } from './bounds.js';

/** The findings of one bench, or why there are none. */
export interface Outcome {
  bench: Pick<Bench, 'name' | 'bounds'>;
  findings: readonly Finding[];
  failure?: string;
}

const measuredNothing = 'not measured';

/** The one table of the rig's figures, and whether every bound of the benches that ran is kept. A bound without a figure is broken. */
export function judge(outcomes: readonly Outcome[]): { text: string; isKept: boolean } {
  const rows: string[][] = [];
  let isKept = true;
  for (const { bench, findings, failure = '' } of outcomes) {
    const found = new Set(findings.map((finding) => finding.bound));
    const missing = bench.bounds
      .filter((bound) => !found.has(bound))
      .map((bound) => ({ bound, value: Number.NaN, detail: failure }));
    for (const finding of [...findings, ...missing]) {
      if (finding.bound === undefined) {
        rows.push([finding.what, finding.measured, '', '', finding.detail]);
        continue;
      }
      const { what, atMost, print }: Bound = bounds[finding.bound];
      // Not a number keeps nothing.
      const isWithin = finding.value <= atMost;
      isKept &&= isWithin;
      const measured = Number.isNaN(finding.value) ? measuredNothing : print(finding.value);
      rows.push([what, measured, `<= ${print(atMost)}`, isWithin ? 'kept' : 'BROKEN', finding.detail]);
    }
  }
  return { text: columns(['what', 'measured', 'bound', '', ''], rows, [0, 3, 4]), isKept };
}
