import { expect, it } from 'vitest';
import type { MetricSpec } from './declaration.js';
import { metricName, metricSpec, metricSpecs, partOfMetric, presentMetrics } from './metric-names.js';

const spec = (more: Partial<MetricSpec> = {}): MetricSpec => ({
  kind: 'distribution',
  unit: 'us',
  of: 'target',
  meaning: 'from here to there',
  ...more,
});
const ask = spec({ isFamily: true, atLeast: 'askAtLeast', unfinished: ['lost'], samplesOf: 'delivered' });
const metrics = { connect: spec(), ask, askAtLeast: spec({ of: 'rig' }), lag: spec() };

it('a part has the spec of its family, without what belongs to the whole', () => {
  expect(metricSpec({ metrics }, 'ask')).toBe(ask);
  expect(metricSpec({ metrics }, 'ask:log in')).toEqual({
    ...spec({ meaning: 'of log in: from here to there', isOptional: true, partOf: 'ask' }),
  });
  const http = spec({ isFamily: true, stampedBy: 'audience' });
  expect(metricSpec({ metrics: { http } }, 'http:GET /')).toMatchObject({ partOf: 'http', stampedBy: 'audience' });
  for (const name of ['connect:x', 'toString', 'constructor:x', 'other'])
    expect(metricSpec({ metrics }, name)).toBeUndefined();
});

it('parts stand behind their family, and others behind all', () => {
  const present = ['puback', 'ask:b', 'connect', 'ask:a', 'ask'];
  expect(presentMetrics({ metrics }, present)).toEqual([
    'connect',
    'ask',
    'ask:a',
    'ask:b',
    'askAtLeast',
    'lag',
    'puback',
  ]);
  expect(Object.keys(metricSpecs({ metrics }, present))).toEqual([
    'connect',
    'ask',
    'ask:a',
    'ask:b',
    'askAtLeast',
    'lag',
  ]);
});

it('the name of a part is clean and short', () => {
  const names = ['POST /users/:id', '\u001b[2Jé"<b>', '', ' \n ', 'x'.repeat(300)].map((text) =>
    partOfMetric('ask', text),
  );
  expect(names).toEqual(['ask:POST /users/:id', 'ask:_b_', 'ask:unnamed', 'ask:unnamed', `ask:${'x'.repeat(60)}`]);
  for (const name of names) expect(name).toMatch(metricName);
  for (const name of ['', '.', '../x', '/x', 'a/b', 'a:', 'a\n', 'a?b', 'a%2f']) expect(name).not.toMatch(metricName);
});
