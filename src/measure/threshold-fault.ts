import { count } from '../units/count.js';
import { duration } from '../units/duration.js';
import { type ThresholdSubjects, thresholdFigures } from './threshold.js';

const signs = ['<', '<=', '==', '>=', '>'];

/** The first wrong part of a text that `parseThreshold` refuses, as `expected …, received …`. */
export function thresholdFault(text: string, { metrics, counts, shares }: ThresholdSubjects): string {
  const whole = text.trim();
  const parts = /^(\w+)(?:\.(\w+))?\s*([<=>!]+)\s*(\S+)$/.exec(whole);
  if (!parts) return `expected a name, a sign and a bound such as ${metrics[0]}.p50<200ms, received ${whole}`;
  const [, name = '', figure, sign = '', bound = ''] = parts;
  const wrong = (expected: string, received: string): string =>
    `expected ${expected}, received ${received} in ${whole}`;
  const oneOf = (names: readonly string[]): string => `one of ${names.join(', ')}`;
  if (!signs.includes(sign)) return wrong(oneOf(signs), sign);
  if (figure !== undefined) {
    if (!metrics.includes(name)) return wrong(oneOf(metrics), name);
    if (!(thresholdFigures as readonly string[]).includes(figure)) return wrong(oneOf(thresholdFigures), figure);
    return wrong(count.parse(bound) === undefined ? duration.expected : `a unit, as in ${bound}ms`, bound);
  }
  if (metrics.includes(name)) return wrong(`a figure of it, as in ${name}.p99`, name);
  const isShare = bound.endsWith('%');
  const known = isShare ? shares.map(({ part }) => part) : counts;
  if (!known.includes(name))
    return wrong(known.length > 0 ? `${oneOf(known)}${isShare ? ' where there is a %' : ''}` : oneOf(metrics), name);
  return wrong(isShare ? 'a percentage such as 99.9%' : count.expected, bound);
}
