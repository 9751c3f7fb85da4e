import { expect, it, test } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { latency } from '../../../test/kept-golden.js';
import type { Clause } from '../../measure/declaration.js';
import { scenarios } from '../../scenarios/list.js';
import { answerInWords } from './answer.js';
import { talkLines } from './notes.js';

const { metrics, ledger } = goldenResult();
const delivery = metrics.delivery!;
const withDelivery = (more: Partial<typeof delivery>) => ({
  metrics: { ...metrics, delivery: { ...delivery, ...more } },
});
const answer = (more: Parameters<typeof goldenResult>[0] = {}): string =>
  answerInWords(goldenResult(more), latency).join(' ');

it('is a sentence with the median, a tail and the losses', () => {
  expect(answer()).toBe('202 clients got each broadcast in 0.743 ms (median), 99 % within 5.00 ms; nothing was lost.');
  expect(answer({ ledger: { ...ledger, lost: 7 } })).toMatch(/7 of 203,212 deliveries were lost\.$/);
});

it('has the highest percentile that the samples carry', () => {
  expect(answer(withDelivery({ p99: null }))).toContain('95 % within 2.00 ms');
  expect(answer(withDelivery({ p99: null, p95: null, p90: null }))).toContain('all within 41.0 ms');
});

it('leaves out a clause without its figure', () => {
  expect(answer(withDelivery({ p50: null }))).toBe('Nothing was lost.');
});

it('calls a marked median the most that it can be', () => {
  const bounds = [{ metric: 'delivery', figure: null, leastUs: 0, text: 'busy', rule: 'cores-busy' }];
  expect(answer({ verdict: { rig: 'clean', evidence: [], bounds } })).toContain(
    'in at most 0.743 ms (median), 99 % within 5.00 ms',
  );
});

it('is nothing for a void run', () => {
  expect(answer({ verdict: { rig: 'void', evidence: [] } })).toBe('');
});

it.each(scenarios.map((each) => [each.name, each] as const))(
  'the sentence of %s names what it has',
  (_name, scenario) => {
    const partsOf = (clause: Clause): Exclude<Clause, string>[] =>
      typeof clause === 'string' ? [] : [clause, ...partsOf(clause.none), ...partsOf(clause.some)];
    const parts = scenario.sentence.flatMap(partsOf);
    const texts = [...scenario.sentence, ...parts.flatMap(({ none, some }) => [none, some])].filter(
      (clause) => typeof clause === 'string',
    );
    const slots = texts.flatMap((text) => [...text.matchAll(/\{(.+?)\}/g)].map(([, name = '']) => name));
    const names = [...Object.keys(scenario.metrics), ...Object.keys(scenario.books.kinds), 'footprint'];
    const known = [...names, ...Object.keys(scenario.options.shape)];
    expect(slots.length).toBeGreaterThan(0);
    for (const slot of slots)
      for (const name of slot.split('.').slice(0, 1).join().split('/')) expect(known).toContain(name);
    for (const { count } of parts) expect(Object.keys(scenario.books.kinds)).toContain(count);
  },
);

test('each cause has a line, and the messages that no rule knows have one', () => {
  const examples = {
    'subscribe-timeout': { step: 'no pong came', sent: '{"op":"join"}', received: '{"op":"hello"}' },
    'connect-refused': { step: 'no WebSocket was opened' },
  };
  const lines = talkLines({ talk: { examples, others: 540, firstOther: '42["chat:msg"]' } });
  expect(lines).toHaveLength(3);
  for (const part of ['subscribe-timeout', 'no pong came', '{"op":"join"}', '{"op":"hello"}'])
    expect(lines[0]).toContain(part);
  expect(lines[1]).toContain('connect-refused');
  expect(lines[2]).toContain('540');
  expect(lines[2]).toContain('42["chat:msg"]');
});

test('a run without either has none', () => {
  expect(talkLines({})).toEqual([]);
});
