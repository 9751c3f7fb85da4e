import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../contract/result.js';
import { metronomeRecord, recordPaths } from '../../targets/metronome/record.js';
import { broadcastBooks, soundResult, targetFlags } from '../../testing/latency.js';
import { keptResult, workplace } from '../../testing/workplace.js';

const place = workplace();
const anycableGo = process.env.ANYCABLE_GO_BIN;
const [subscribers, broadcasts, warmUp] = [97, 43, 3];

/** Flags of a small run, in which a client is dropped two or three times; `more` comes last and wins. */
function jitterFlags(...more: string[]): string[] {
  const sizes = { subscribers, broadcasts, 'warm-up': warmUp, rate: '4/s', every: '4s', drain: '3s', seed: 7 };
  return [...Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]), ...more];
}

/** Runs jitter and checks what holds of every such run: the books foot, all drops were made as planned, and everybody came back. */
async function measure(flags: string[], env: Record<string, string | undefined> = {}): Promise<RunResult> {
  const driver = place.ringside(['run', 'jitter', ...flags], env);
  const ended = await driver.ended;
  expect(driver.family()).toEqual([]);
  const result = soundResult(ended);
  expect(result.stop).toEqual({ code: 'completed', evidence: [] });
  expect([0, 4]).toContain(ended.code);
  expect(result.ledger).toMatchObject({ attempted: broadcasts, acked: broadcasts, notDue: 0, cuts: 0 });
  expect(result.ledger).toMatchObject({ notBack: 0, underWay: 0, cutByCause: {}, notBackByCause: {} });
  const { delivered, lost, expected } = broadcastBooks(result);
  expect([expected, delivered]).toEqual([entry(result, 'live') + entry(result, 'replayed') + lost, expected - lost]);
  expect(result.metrics.offline?.count).toBe(entry(result, 'drops'));
  expect(result.metrics.offline?.min).toBeGreaterThanOrEqual(2_000_000);
  expect(result.metrics.reconnect?.count).toBe(entry(result, 'back'));
  return result;
}

function entry({ ledger }: RunResult, name: string): number {
  const value = ledger[name];
  if (typeof value !== 'number') throw new Error(`the ledger has no ${name}`);
  return value;
}

/** What a target that replays nothing does to subscribers that lose their network. */
function losesWhatWasMissed(result: RunResult): void {
  expect(result.ledger).toMatchObject({ replayed: 0, recovered: 0, lostOnline: 0, duplicate: 0, outOfOrder: 0 });
  // Two seconds at 4/s are eight broadcasts; windows at the two ends of the schedule have fewer.
  expect(entry(result, 'lostOffline')).toBeGreaterThan(entry(result, 'drops') * 5);
  expect(entry(result, 'lostOffline')).toBeLessThanOrEqual(entry(result, 'drops') * 10);
}

/** What one does that keeps it for them. */
function losesNothing(result: RunResult): void {
  const { delivered, expected } = broadcastBooks(result);
  expect(delivered).toBe(expected);
  expect(entry(result, 'replayed')).toBeGreaterThan(entry(result, 'drops') * 5);
  expect(entry(result, 'resumes')).toBe(entry(result, 'back'));
  expect(entry(result, 'recovered')).toBe(entry(result, 'resumes'));
  expect(result.metrics.replayed?.max).toBeGreaterThan(1_500_000);
}

describe.concurrent('subscribers that lose their network', () => {
  it.for([
    ['ws', 'reset', 1],
    ['ws', 'vanish', 2],
    ['uws', 'close', 3],
    ['socketio', 'reset', 1],
  ] as const)('of %s, by %s, over %i shard(s), lose what they missed', async ([target, drop, shards]) => {
    const flags = ['--target', target, '--drop', drop, '--local-shards', String(shards)];
    losesWhatWasMissed(await measure(jitterFlags(...flags)));
  });

  it.for([
    ['reset', 1],
    ['close', 2],
  ] as const)('of Socket.IO with recovery, by %s, over %i shard(s), lose nothing', async ([drop, shards]) => {
    const flags = ['--target', 'socketio-csr', '--drop', drop, '--local-shards', String(shards)];
    losesNothing(await measure(jitterFlags(...flags)));
  });

  it('of Socket.IO with recovery lose it after all when the server never learned that they were gone', async () => {
    losesWhatWasMissed(await measure(jitterFlags('--target', 'socketio-csr', '--drop', 'vanish')));
  });

  it('are dropped at the same instants however they are split', async () => {
    const one = await measure(jitterFlags('--target', 'uws'));
    const three = await measure(jitterFlags('--target', 'uws', '--local-shards', '3', '--workers', '2'));
    const books = ({ ledger: { planned, drops, skipped, attempts, expected } }: RunResult) => ({
      ...{ planned, drops, skipped, attempts, expected },
    });
    expect(books(three)).toEqual(books(one));
  });
});

describe.concurrent('the same with the real client library', () => {
  it.for([
    ['ws', 'reset'],
    ['ws', 'vanish'],
    ['uws', 'vanish'],
    ['socketio-csr', 'vanish'],
  ] as const)('of %s by %s loses what was missed', async ([target, drop]) => {
    losesWhatWasMissed(await measure(jitterFlags('--target', target, '--drop', drop, '--client', 'library')));
  });

  it.for(['reset', 'close'] as const)('of Socket.IO with recovery, by %s, loses nothing', async (drop) => {
    losesNothing(await measure(jitterFlags('--target', 'socketio-csr', '--client', 'library', '--drop', drop)));
  });

  it.skipIf(anycableGo === undefined)('of AnyCable (a real one, where ANYCABLE_GO_BIN names it)', async () => {
    const flags = ['--target', 'anycable', '--client', 'library'];
    losesNothing(await measure(jitterFlags(...flags), { ANYCABLE_GO_BIN: anycableGo }));
  });
});

it.skipIf(anycableGo === undefined).for(['reset', 'vanish'] as const)(
  'subscribers of AnyCable, by %s, lose nothing (a real one, where ANYCABLE_GO_BIN names it)',
  async (drop) => {
    const flags = ['--target', 'anycable', '--drop', drop];
    losesNothing(await measure(jitterFlags(...flags), { ANYCABLE_GO_BIN: anycableGo }));
  },
);

describe.concurrent('against a target of known truth', () => {
  /** What the rig found, and what the metronome wrote down of the same broadcasts. */
  async function held(orders: string[], ...flags: string[]) {
    const target = await place.serve('servers/metronome/main.js', orders);
    const result = await measure([...targetFlags(target), ...jitterFlags(...flags)]);
    const query = `from=${warmUp}&stream=${result.job.stream}`;
    const answer = await fetch(`http://127.0.0.1:${target.port}${recordPaths.summary}?${query}`);
    const { totals } = metronomeRecord.parse(await answer.json());
    expect(totals).toMatchObject({ broadcasts, isWhole: true, pending: 0 });
    return { result, totals };
  }

  it('that loses nothing by itself: what was not owed, or written to a connection that was gone, is all that is lost', async () => {
    const { result, totals } = await held([], '--local-shards', '2');
    losesWhatWasMissed(result);
    const { expected, delivered, lost } = broadcastBooks(result);
    expect(totals.dropped).toBe(0);
    // A delivery can be written in the very instant in which its client is dropped.
    const underWay = totals.delivered - delivered;
    expect(lost).toBe(expected - totals.owed + totals.gone + underWay);
    expect(underWay).toBeGreaterThanOrEqual(0);
    expect(underWay).toBeLessThanOrEqual(entry(result, 'drops'));
  });

  it('that drops one delivery in twenty: those are lost while online', async () => {
    const { result, totals } = await held(['--drop', '0.05', '--seed', '11']);
    const { expected, delivered, lost } = broadcastBooks(result);
    expect(totals.dropped).toBeGreaterThan(50);
    const underWay = totals.delivered - delivered;
    expect(lost).toBe(expected - totals.owed + totals.gone + totals.dropped + underWay);
    expect(underWay).toBeGreaterThanOrEqual(0);
    // Of those that were dropped in the very instant in which the client was nobody can say why they did not arrive.
    expect(entry(result, 'lostOnline')).toBeLessThanOrEqual(totals.dropped);
    expect(entry(result, 'lostOnline')).toBeGreaterThanOrEqual(totals.dropped - entry(result, 'drops') * 0.2);
  });

  it('that sends one delivery in twenty twice: each is a duplicate, and no sample', async () => {
    const { result, totals } = await held(['--duplicate', '0.05', '--seed', '13']);
    expect(totals.duplicated).toBeGreaterThan(50);
    expect(totals.duplicated - entry(result, 'duplicate')).toBeGreaterThanOrEqual(0);
    expect(totals.duplicated - entry(result, 'duplicate')).toBeLessThanOrEqual(entry(result, 'drops'));
    expect(result.metrics.delivery?.count).toBe(entry(result, 'live'));
  });
});

it('a target that ends while its clients are away is gone, and they are counted by cause', async () => {
  const target = await place.serve('servers/ws/main.js');
  const driver = place.ringside(['run', 'jitter', ...targetFlags(target), ...jitterFlags()]);
  await driver.said('stderr', /drops [1-9]/);
  target.command.kill('SIGKILL');
  const ended = await driver.ended;
  const result = keptResult(ended);
  expect(ended.code).toBe(4);
  expect(result.stop.code).toBe('targetGone');
  expect(result.stop.evidence.join()).toContain('no client of a worker could come back any more');
  expect(result.verdict.rig).toBe('void');
  expect(result.verdict.evidence.map(({ rule }) => rule)).not.toContain('ledger-broken');
  expect(result.ledger.notBack).toBe(subscribers);
});
