import { outsideText } from '../units/text.js';
import type { Declaration, MetricSpec } from './declaration.js';

type Declared = Pick<Declaration, 'metrics'>;

const separator = ':';
const longestPart = 60;
const unnameable = /[^\w:./ @#-]+/g;

/** Matches a name of a metric: of one that is declared, or of its part by name. */
export const metricName = /^\w[\w. -]{0,39}(?::[\w:./ @#-]{1,60})?$/;

/** Returns a user's text as the name of a part: at most 60 signs that a path, an address and a page can hold. */
export function partName(text: string): string {
  return outsideText(text).replaceAll(unnameable, '_').slice(0, longestPart).trim() || 'unnamed';
}

export function partOfMetric(family: string, text: string): string {
  return `${family}${separator}${partName(text)}`;
}

function familyOf(name: string): string | undefined {
  const end = name.indexOf(separator);
  return end > 0 ? name.slice(0, end) : undefined;
}

/** Returns the spec of a metric, or of its family: a part has no bracket and no entries of the ledger of its own. */
export function metricSpec({ metrics }: Declared, name: string): MetricSpec | undefined {
  if (Object.hasOwn(metrics, name)) return metrics[name];
  const family = familyOf(name);
  const spec = family !== undefined && Object.hasOwn(metrics, family) ? metrics[family] : undefined;
  if (family === undefined || !spec?.isFamily) return undefined;
  const { kind, unit, of, meaning, atLeast, stampedBy } = spec;
  return {
    ...{ kind, unit, of, partOf: family, isOptional: true },
    ...(atLeast === undefined && stampedBy && { stampedBy }),
    meaning: `of ${name.slice(family.length + 1)}: ${meaning}`,
  };
}

/** Names the metrics of runs in the order of print: each declared one, then its parts by name, then others. */
export function presentMetrics({ metrics }: Declared, present: Iterable<string>): string[] {
  const further = [...new Set(present)].filter((name) => !Object.hasOwn(metrics, name)).sort();
  const declared = Object.keys(metrics).flatMap((name) => [name, ...further.filter((each) => familyOf(each) === name)]);
  return [...new Set([...declared, ...further])];
}

/** Returns true for the lower end of another metric's bracket, which tables show as a bound of that metric. */
export function isLowerEnd({ metrics }: Declared, name: string): boolean {
  const [family = '', part] = name.split(separator);
  return part === undefined
    ? Object.values(metrics).some(({ atLeast }) => atLeast === name)
    : isLowerEnd({ metrics }, family);
}

/** Returns the name of a metric for people. A latency from the intended instant includes how late its send left. */
export function metricTitle(scenario: Declared, name: string): string {
  const sent = metricSpec(scenario, name)?.fromIntended?.sent;
  return sent === undefined ? name : `${sent}, late sends included`;
}

export function metricSpecs(scenario: Declared, present: Iterable<string>): Record<string, MetricSpec> {
  return Object.fromEntries(
    presentMetrics(scenario, present).flatMap((name) => {
      const spec = metricSpec(scenario, name);
      return spec ? [[name, spec]] : [];
    }),
  );
}

export function metricPartsOf(family: string, byName: Readonly<Record<string, number>> = {}): Record<string, number> {
  return Object.fromEntries(Object.entries(byName).map(([name, count]) => [partOfMetric(family, name), count]));
}
