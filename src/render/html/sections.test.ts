import { expect, it } from 'vitest';
import { goldenResult, goldenShard } from '../../../test/golden-result.js';
import { latency } from '../../../test/scenarios.js';
import type { Sum } from '../../measure/ledger.js';
import type { RunResult } from '../../results/result.js';
import { scenarioByName } from '../../scenarios/list.js';
import { jobSection } from './job.js';
import { sumsOf } from './sections.js';

const assets = { uplotScript: '', uplotStyle: '', drawScript: '' };

it('names the event loops that had a load', () => {
  const { rig } = goldenShard(0);
  const workers = rig.workers.map((each) => (each.role === 'publisher' ? { ...each, windowMs: 0 } : each));
  const [part, ...others] = goldenResult().shards.map((each, index) => ({ ...each, result: goldenShard(index) }));
  const shards = [{ ...part!, result: { ...part!.result, rig: { ...rig, workers } } }, ...others];
  const runs = [{ label: 'ws', directory: 'results/ws', result: goldenResult({ shards }), curves: {} }];
  const text = jobSection({ scenario: latency, runs, difference: '', chosen: '', assets }).text;
  expect(
    ['shard 0 audience 0', 'shard 0 publisher 0', 'shard 1 publisher 0'].map((loop) => text.includes(loop)),
  ).toEqual([true, false, true]);
});

it('has what the engines of each shard counted', () => {
  const { rig } = goldenShard(0);
  const use = {
    ...{ name: 'native' as const, handedOver: 101_606, reads: 100_801, exact: 101_309, bracketed: 286, unstamped: 11 },
    ...{ clockSteps: 0, loops: 6, cpuNs: 5_011_700_000, coreWaitNs: 307_100_000 },
  };
  const [part, other] = goldenResult().shards.map((each, index) => ({ ...each, result: goldenShard(index) }));
  const shards = [{ ...part!, result: { ...part!.result, rig: { ...rig, engines: [use] } } }, other!];
  const textOf = (result: RunResult): string => {
    const runs = [{ label: 'ws', directory: 'results/ws', result, curves: {} }];
    return jobSection({ scenario: latency, runs, difference: '', chosen: '', assets }).text;
  };
  const [named, nameless] = [textOf(goldenResult({ shards })), textOf(goldenResult())];
  for (const word of ['native', '101,309', '286']) expect(named).toContain(word);
  expect(nameless).not.toContain('engine');
});

const inWords = ({ whole, parts }: Sum): string => `${whole[0]} = ${parts.map(([part]) => part).join(' + ')}`;

it.each([
  ['connect', ['started = opened + failed', 'asked = opened + notOpened']],
  ['idle', ['opened = held + lost', 'asked = opened + notOpened']],
  ['steps', ['expected = delivered + lost', 'sent = answered + unanswered']],
  [
    'avalanche',
    [
      'attempted = acked + refused + failed',
      'asked = opened + notOpened + lostBefore',
      'opened = cut + neverCut',
      'cut = proven + backUnproven + notBack',
      'attempts = returns + failedAttempts + underWay',
    ],
  ],
  [
    'deploy',
    [
      'attempted = acked + refused + failed',
      'expected = live + replayed + lostOffline + lostOnline',
      'subscribers = cut + neverCut',
      'cut = proven + backUnproven + notBack',
      'dropped = returns + notBack',
      'attempts = returns + failedAttempts + underWay',
      'subscribers = gaps + openGaps + unheard',
    ],
  ],
  [
    'jitter',
    [
      'attempted = acked + refused + failed',
      'expected = live + replayed + lostOffline + lostOnline',
      'attempts = back + failedAttempts + underWay',
      'planned = drops + skipped + notDue',
    ],
  ],
])('draws each sum of %s that adds something', (name, found) => {
  const scenario = scenarioByName(name);
  if (!scenario) throw new Error(`no scenario ${name}`);
  const { entries } = scenario.ledger({ counts: {}, causes: {}, series: {}, timeline: {} });
  expect(sumsOf(scenario.books, entries).map(inWords)).toEqual(found);
});
