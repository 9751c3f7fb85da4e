import { it } from 'vitest';
import { expectVariants } from '../../../../test/golden.js';
import { goldenResult } from '../../../../test/golden-result.js';
import { terminalText } from '../../../render/document/terminal.js';
import type { Knee, KneeRow, KneeTry } from '../../../results/search.js';
import { samenessOf } from './knee.js';
import { kneeDocument } from './print.js';

const plain = { isColored: false, columns: 160 };

const one = (more: Partial<KneeTry> = {}): KneeTry => ({
  ...{ ratePerSecond: 97, purpose: 'search', holds: 'yes', signs: [], why: [], p50: 5_003, p99: 11_003 },
  ...{ deliveriesPerSecond: 2425, drain: 10_007, rig: 'clean', stop: 'completed', directory: 'there' },
  ...more,
});

const grows = { sign: 'backlog-grows', text: 'latency grew by 31 ms per second of the schedule' };
const left = { sign: 'backlog-left', text: 'the last delivery came 2.11 s after the last publish' };
const busy = 'cores-busy: all 2 cores were 97 % busy';
const jam = one({ ratePerSecond: 101, holds: 'no', signs: [grows, left], p50: 907_003, p99: 1_804_003 });
const doubt = one({ ratePerSecond: 101, holds: 'open', why: [busy], rig: 'limited' });
const recovered = one({ ratePerSecond: 49.5, purpose: 'recovery', p50: 5_101 });

/** A row whose target jammed at 101/s and recovered at half its knee. */
const row = (clients: number, more: Partial<KneeRow> = {}): KneeRow => ({
  ...{ clients, plateau: 5_003, end: 'jammed', keptUpTo: 97, failedFrom: 101, kneePerSecond: 99 },
  messagesPerSecond: 99 * clients,
  interval: [97, 101],
  why: [`${grows.sign}: ${grows.text}`, `${left.sign}: ${left.text}`],
  recovery: { ratePerSecond: 49.5, hasRecovered: true, runs: 1, p50: 5_101, isSameProcess: true, why: [] },
  tries: [one(), jam, recovered],
  ...more,
});

const none = { kneePerSecond: null, messagesPerSecond: null, recovery: null };
const doubtful = row(25, { ...none, end: 'open', why: [busy], tries: [one(), doubt] });

/** A row with a recovery after runs with these votes. */
function recovering(votes: readonly KneeTry['holds'][], more: Partial<KneeRow['recovery']>): KneeRow {
  const [purpose, ratePerSecond] = ['recovery', 49.5] as const;
  const ran = { yes: recovered, no: jam, open: doubt };
  const tries = votes.map((holds) => ({ ...ran[holds], purpose, ratePerSecond }));
  const recovery = { ratePerSecond: 49.5, runs: votes.length, p50: null, isSameProcess: true, why: [] };
  return row(25, { recovery: { ...recovery, hasRecovered: false, ...more }, tries: [one(), jam, ...tries] });
}

function text(rows: KneeRow[], more: Partial<Knee> = {}, columns = plain.columns): string {
  const knee: Knee = {
    ...{
      schema: 2,
      tool: { name: 'ringside-bench', version: '0.1.0' },
      kind: 'knee',
      startedAt: '2026-11-21T12:00:00Z',
    },
    target: {
      ...{ name: 'metronome', protocol: 'ws-json', isOurs: true },
      versions: { node: '20.20.2' },
      settings: { limit: '2500/s' },
    },
    job: { options: { payloadBytes: 200 }, load: {}, shards: 2, seed: 7919 },
    sources: {},
    environment: { driver: goldenResult().environment.driver, shards: [] },
    ...{ client: 'wire', publish: 'clients', precision: 0.05, repeat: 2, durationMs: 3000, drainMs: 5000 },
    ...{ minRate: 5, maxRate: 10_000, rows, sameness: samenessOf(rows), endedBecause: '' },
    ...more,
  };
  return terminalText(kneeDocument(knee), { ...plain, columns });
}

it('says where a target jams, in its golden file', async () => {
  const steady = row(100, { kneePerSecond: 24.3, messagesPerSecond: 2430, interval: [23.7, 24.9] });
  const highest = { ...none, end: 'highestKept', keptUpTo: 10_000, failedFrom: null, why: [] as string[] } as const;
  const lowest = { ...none, end: 'lowestFailed', plateau: null, keptUpTo: null, failedFrom: 5 } as const;
  const ended = { ...none, end: 'ended', failedFrom: null, why: [] as string[] } as const;
  const shard = { target: { ...goldenResult().target, settings: {} }, publish: 'http' };
  await expectVariants('knee.txt', {
    'one knee': text([row(25)]),
    'the same knee for every audience': text([row(25), steady]),
    'a knee that depends on the audience': text([row(25), row(100)]),
    'in a narrow terminal': text([row(25)], {}, 80),
    'limited by the rig': text([doubtful]),
    'kept up with every rate': text(
      [row(25, { ...highest, interval: [10_000, null], tries: [one({ ratePerSecond: 10_000 })] })],
      { ...shard, job: { options: {}, load: {}, shards: 1, seed: 7919 } },
    ),
    'failed at the lowest rate': text([
      row(25, { ...lowest, interval: [null, 5], tries: [{ ...jam, ratePerSecond: 5, rig: 'void' }] }),
    ]),
    interrupted: text([row(25, { ...ended, interval: [97, null], tries: [one()] })], { endedBecause: 'interrupted' }),
    'interrupted before the first run': text([], { endedBecause: 'interrupted' }),
    'jammed for good': text([recovering(['no', 'no'], {})]),
    'recovered in a new process': text([
      recovering(['no', 'yes'], { hasRecovered: true, p50: 5_101, isSameProcess: false }),
    ]),
    'a recovery that the rig hides': text([recovering(['open'], { hasRecovered: null, why: [busy] })]),
    'a jam that did not come back': text([
      recovering([], { hasRecovered: null, isSameProcess: null, why: ['it was not jammed again at 101/s'] }),
    ]),
  });
});
