import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { digestOf } from '../../contract/job.js';
import { ProblemError, problem } from '../../contract/problems.js';
import type { JobStatus, ShardInfo } from '../../contract/shard.js';
import { coveredMs, Member, pollPauseMs } from './member.js';
import { NoAnswer } from './partial-body.js';
import { type ShardClient, ShardGone } from './shard-client.js';

const leaseMs = 30_000;
const refused = (): Promise<never> => Promise.reject(new NoAnswer('connection refused'));
const never = (): Promise<never> => new Promise(() => undefined);
const told = (state: JobStatus['state']) => async (): Promise<JobStatus> =>
  ({ state, progress: { subscribers: 7 } }) as unknown as JobStatus;

let status: () => Promise<JobStatus>;
let cancelled = 0;

function memberOf(lease = leaseMs): Member {
  const client = {
    url: 'http://ring:7001',
    status: () => status(),
    end: async () => {
      cancelled++;
    },
  };
  return new Member(client as unknown as ShardClient, {} as ShardInfo, 'job', lease);
}

/** Polls twice a second, as a watch would, and waits for no answer. */
async function pollFor(member: Member, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 500) {
    void member.poll();
    await vi.advanceTimersByTimeAsync(500);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  status = told('running');
  cancelled = 0;
});
afterEach(() => vi.useRealTimers());

describe('a shard that does not answer', () => {
  it.each([3000, 6000, 8000, 20_000, 29_000])('for %d ms is not lost, and the time is kept', async (cutMs) => {
    const member = memberOf();
    await pollFor(member, 1000);
    status = refused;
    await pollFor(member, cutMs);
    expect([member.lost, member.isHeard]).toEqual([undefined, false]);
    status = told('running');
    await pollFor(member, 1000);
    expect([member.lost, member.isHeard]).toEqual([undefined, true]);
    expect(member.silencesUntil(performance.now()).map(({ fromMs, toMs }) => toMs - fromMs)).toEqual([cutMs]);
    expect(member.status?.progress).toEqual({ subscribers: 7 });
  });

  it.each([
    ['refuses', refused, 'connection refused'],
    ['hangs', never, 'no answer in time'],
  ])('and %s is lost within five seconds after its lease', async (_how, answer, why) => {
    const member = memberOf();
    await pollFor(member, 1000);
    status = answer;
    await pollFor(member, leaseMs);
    expect(member.lost).toBeUndefined();
    await pollFor(member, 5000);
    expect(member.lost).toMatch(new RegExp(`\\b3[1-4] s \\(${why}\\)$`));
    expect(member.isOver).toBe(true);
  });

  it('beyond its lease, and then tells of its end, is found again', async () => {
    const member = memberOf();
    status = refused;
    await pollFor(member, leaseMs + 5000);
    status = told('running');
    await member.poll();
    expect([member.lost === undefined, cancelled]).toEqual([false, 1]);
    status = told('done');
    await member.poll();
    expect([member.lost, member.status?.state]).toEqual([undefined, 'done']);
  });

  it.each([
    ['another process answers at its address', new ShardGone('another process answers')],
    ['it knows no such job', new ProblemError([problem('notFound', 'there is no such job')])],
  ])('as %s is lost at once, and for good', async (_why, error) => {
    const member = memberOf();
    status = () => Promise.reject(error);
    await member.poll();
    expect(member.lost).toBe(error.message);
    status = told('done');
    await member.poll();
    expect(member.lost).toBe(error.message);
  });
});

it('a shard is asked to end its load until it heard of it', async () => {
  const member = memberOf();
  await member.poll('cancel');
  await member.poll('cancel');
  expect(cancelled).toBe(1);
});

const body = Uint8Array.of(7);

/** A shard that is done, and has told the digest of its one body. */
function doneMember(samples: () => Promise<Uint8Array>): Member {
  const member = new Member({ samples } as unknown as ShardClient, {} as ShardInfo, 'job', leaseMs);
  member.status = { state: 'done', result: { digests: { delivery: digestOf(body) } } } as unknown as JobStatus;
  return member;
}

it('a long answer that flows is no silence', async () => {
  const samples = () => new Promise<Uint8Array>((resolve) => setTimeout(() => resolve(body), 2 * leaseMs));
  const member = doneMember(samples);
  const asked = member.samples('delivery');
  await vi.advanceTimersByTimeAsync(2 * leaseMs);
  expect(await asked).toBe(body);
  expect([member.lost, member.silencesUntil(performance.now())]).toEqual([undefined, []]);
});

it('samples are asked for again when the way to them was cut', async () => {
  let asked = 0;
  const samples = () => (++asked < 4 ? refused() : Promise.resolve(body));
  const fetched = doneMember(samples).samples('delivery');
  await vi.advanceTimersByTimeAsync(5000);
  expect([await fetched, asked]).toEqual([body, 4]);
});

it('samples of a shard that is silent beyond its lease are given up', async () => {
  const member = doneMember(refused);
  const fetched = member.samples('delivery').then(
    () => undefined,
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(leaseMs + 5000);
  expect(await fetched).toBeInstanceOf(Error);
  expect(member.lost).toBeDefined();
});

it('the shards of a large fleet are asked less often, each at least once a second', () => {
  expect([1, 7, 62, 100, 200, 1000].map((shards) => pollPauseMs(shards))).toEqual([250, 250, 250, 400, 800, 800]);
});

it.each([
  ['is cut off has another lease to return', never, true],
  ['refuses, so that nothing there can hold its part, has not', refused, false],
])('a lost shard that %s', async (_how, answer, isAwaited) => {
  const member = memberOf();
  await pollFor(member, 1000);
  status = answer;
  await pollFor(member, leaseMs + 5000);
  expect([member.lost === undefined, member.awaitedMs > 0]).toEqual([false, isAwaited]);
  await pollFor(member, leaseMs);
  expect(member.awaitedMs).toBe(0);
});

it('a shard with a long lease is not awaited for hours', async () => {
  const hourMs = 3_600_000;
  const member = memberOf(hourMs);
  status = async () => {
    throw new NoAnswer('no answer in time');
  };
  await member.poll();
  await vi.advanceTimersByTimeAsync(hourMs + 5000);
  await member.poll();
  expect(member.lost).toBeDefined();
  expect(member.awaitedMs).toBe(60_000);
});

it('counts time that lies in several spans once', () => {
  const spans = [
    { fromMs: 17, toMs: 19 },
    { fromMs: 2, toMs: 7 },
    { fromMs: 3, toMs: 5 },
    { fromMs: 5, toMs: 11 },
  ];
  expect(coveredMs(spans)).toBe(9 + 2);
  expect(coveredMs([])).toBe(0);
});
