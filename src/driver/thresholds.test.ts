import { describe, expect, it } from 'vitest';
import { scenarios } from '../contract/catalog.js';
import { subjectsOf } from '../contract/figures.js';
import type { Problem } from '../contract/problems.js';
import { thresholdsOf } from './thresholds.js';

const figures = ['p50', 'p90', 'p95', 'p99', 'p999', 'min', 'max', 'mean'];

describe.each(scenarios)('promises about $name', (scenario) => {
  const { counts, shares } = subjectsOf(scenario);
  const read = (texts: readonly string[]) => {
    const problems: Problem[] = [];
    return { thresholds: thresholdsOf({ ...scenario, promises: [] }, texts, problems), problems };
  };

  it('can be made of every figure of every metric, every count and every share', () => {
    const texts = [
      ...Object.keys(scenario.metrics).flatMap((metric) => figures.map((figure) => `${metric}.${figure}<211ms`)),
      ...counts.map((count) => `${count}==7`),
      ...shares.map(({ part }) => `${part}>=99.9%`),
    ];
    const { thresholds, problems } = read(texts);
    expect(problems).toEqual([]);
    expect(thresholds.map(({ text }) => text)).toEqual(texts);
  });

  it('can be made of nothing else', () => {
    const [metric] = Object.keys(scenario.metrics);
    const texts = [
      `${metric}.p98<1s`,
      `${metric}<1s`,
      `${metric}.p99==7`,
      'nothing==0',
      'nothing.p99<1s',
      'nothing>=1%',
    ];
    expect(read(texts).thresholds).toEqual([]);
    expect(read(texts).problems).toHaveLength(texts.length);
  });
});
