import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  shardDone as done,
  memberOf,
  outsideOfRun as outside,
  tells,
  shardAtGate as waiting,
} from '../../test/members.js';
import { scenarioCalled } from '../../test/scenarios.js';
import type { JobStatus } from '../contract/shard.js';
import { plannedStages } from '../scenarios/rounds.js';
import type { Scenario } from '../scenarios/scenario.js';
import type { Member } from './shards/member.js';
import { NoAnswer } from './shards/partial-body.js';
import { watch } from './watch.js';

afterEach(() => vi.useRealTimers());

const scenario = scenarioCalled('latency');
/** A shard that stands at the gate, silent for so many polls after its first, and done once the gate is open. */
function shard(silentPolls: number, onOpen: () => void) {
  let [polls, isOpen] = [0, false];
  const client = {
    status: async () => {
      const poll = polls++;
      if (poll > 0 && poll <= silentPolls) throw new NoAnswer('connection refused');
      return isOpen ? done : waiting;
    },
    openGate: async () => {
      isOpen = true;
      onOpen();
    },
  };
  const member = memberOf(client);
  return { member, polls: () => polls };
}

it('no gate is opened while one shard is silent, whatever it told last, and all when it is heard again', async () => {
  const openedAt: number[] = [];
  const there = shard(0, () => openedAt.push(cutOff.polls()));
  const cutOff = shard(4, () => openedAt.push(cutOff.polls()));
  // At the first poll both stand there: the gate would be open at once.
  await cutOff.member.poll();
  const stages = plannedStages({ ...scenario, options: { clients: 14, broadcasts: 11 } }, 14);
  expect(await watch(scenario, stages, [there.member, cutOff.member], outside)).toBeUndefined();
  expect(openedAt).toEqual([6, 6]);
});

it('a bench-runner that does not hold its answers is polled four times a second', async () => {
  const startMs = performance.now();
  let polls = 0;
  const running = { ...waiting, waitingFor: null };
  const client = { status: async () => (polls++ < 3 ? running : done) };
  const member = memberOf(client);
  expect(await watch(scenario, [], [member], outside)).toBeUndefined();
  expect([polls, performance.now() - startMs > 480]).toEqual([4, true]);
});

/** A shard that has just become silent. */
async function cutOffShard(): Promise<Member> {
  const cutOff = async (): Promise<never> => {
    throw new NoAnswer('no answer in time');
  };
  const member = memberOf({ url: 'http://ring:7003', status: cutOff, end: cutOff });
  await member.poll();
  return member;
}

it('a run that the user ends does not wait for the lease of a silent shard', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const silent = await cutOffShard();
  const interrupt = new AbortController();
  let looks = 0;
  const end = await watch(scenario, [], [silent], {
    ...outside,
    interrupt: interrupt.signal,
    look: () => {
      looks++;
      interrupt.abort();
      vi.advanceTimersByTime(looks === 2 ? 10_007 : 0);
    },
  });
  expect(end?.code).toBe('interrupted');
  expect([looks, silent.lost === undefined]).toEqual([3, false]);
});

describe('a run that its user ends and whose figures can hold for a part', () => {
  const endedAfter = async (doneAfterMs: number) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const asked: string[] = [];
    let [leftMs, isDone] = [doneAfterMs, false];
    const client = {
      status: async () => (isDone ? done : { ...waiting, waitingFor: null }),
      end: async (_job: string, how: string) => {
        asked.push(how);
        isDone ||= how === 'cancel';
      },
    };
    const interrupt = new AbortController();
    const end = await watch(scenario, [], [memberOf(client, 1e6)], {
      ...outside,
      interrupt: interrupt.signal,
      keepsPart: true,
      pause: async () => undefined,
      look: () => {
        vi.advanceTimersByTime(1009);
        if (interrupt.signal.aborted) leftMs -= 1009;
        isDone ||= leftMs < 0;
        interrupt.abort();
      },
    });
    return { end, asked };
  };

  it('asks its shards to finish, and awaits what is under way', async () => {
    const { end, asked } = await endedAfter(3001);
    expect(end).toEqual({ code: 'endedByUser', evidence: [], afterMs: 1009 });
    expect(asked).toEqual(['finish']);
  });

  it('awaits it for a while, and then ends it', async () => {
    expect((await endedAfter(1e6)).asked).toEqual(['finish', 'cancel']);
  });
});

it.each([
  ['until its second lease is over', false],
  ['or the user ends the wait', true],
])('a run that is over waits for a shard that was cut off, %s', async (_until, isEndedByUser) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lost = await cutOffShard();
  vi.advanceTimersByTime(31_007);
  const { member: there } = shard(0, () => undefined);
  tells(there, done);
  const interrupt = new AbortController();
  let waits = 0;
  const end = await watch(scenario, [], [there, lost], {
    ...outside,
    interrupt: interrupt.signal,
    look: () => {
      if (lost.lost === undefined || ++waits < 3) return;
      if (isEndedByUser) interrupt.abort();
      else vi.advanceTimersByTime(29_989);
    },
  });
  expect(end?.code).toBe('shardLost');
  expect([waits, lost.awaitedMs > 0]).toEqual([isEndedByUser ? 3 : 4, isEndedByUser]);
});

it('asks a running shard to hold its answer, and not one at a gate or one that was silent', async () => {
  const waits: number[] = [];
  const told: (object | undefined)[] = [{ ...waiting, waitingFor: null }, waiting, undefined, done];
  const client = {
    status: async (_job: string, waitMs: number) => {
      waits.push(waitMs);
      const next = told.shift();
      if (!next) throw new NoAnswer('connection refused');
      return next as JobStatus;
    },
  };
  const member = memberOf(client);
  for (let n = 0; n < 4; n++) await member.poll();
  expect(waits).toEqual([0, 250, 0, 0]);
});

it('shards get time to hear of a gate, and so do the workers of one whose target is disrupted behind it', async () => {
  const stages = plannedStages({ ...scenario, options: { clients: 7, broadcasts: 11 } }, 7);
  const acted: number[] = [];
  const disrupt = { gate: 'start', act: async () => void acted.push(performance.now()), failed: () => undefined };
  const delaysOf = async (count: number, more: object = {}): Promise<number[]> => {
    const delays: number[] = [];
    const members = Array.from({ length: count }, () => {
      let isOpen = false;
      const client = {
        status: async () => (isOpen ? done : waiting),
        openGate: async () => {
          isOpen = true;
        },
      };
      // What it takes off for the way to the shard depends on the machine.
      const member = memberOf(client);
      const open = member.openGate.bind(member);
      member.openGate = (name, delayMs, isLast) => {
        delays.push(delayMs);
        return open(name, delayMs, isLast);
      };
      return member;
    });
    await watch(scenario, stages, members, { ...outside, ...more });
    return delays;
  };
  expect(await delaysOf(1)).toEqual([10]);
  expect(await delaysOf(2)).toEqual([300, 300]);
  const openedMs = performance.now();
  expect(await delaysOf(1, { disrupt })).toEqual([300]);
  await expect.poll(() => acted).toHaveLength(1);
  expect(acted[0]! - openedMs).toBeGreaterThan(290);
});

it('a target is disrupted only when the workers of every shard have heard of the stage behind the gate', async () => {
  const stages = plannedStages({ ...scenario, options: { clients: 14, broadcasts: 11 } }, 14);
  const behind = stages.find(({ gate }) => gate === 'start')?.name;
  let actedAt: number[] | undefined;
  /** A shard whose workers hear of the gate so many polls after it opened, and which ends behind the disruption. */
  const heardAfter = (needed: number) => {
    let [isOpen, polls] = [false, 0];
    const running = { state: 'running', waitingFor: null, progress: {} };
    const client = {
      status: async () => {
        if (!isOpen) return { ...waiting, stages: [] };
        if (actedAt) return done;
        const heard = polls++ < needed ? [] : [{ name: behind, atMs: 7, durationMs: null }];
        return { ...running, stages: [{ name: 'ramp', atMs: 3, durationMs: 2 }, ...heard] };
      },
      openGate: async () => {
        isOpen = true;
      },
    };
    return { member: memberOf(client), polls: () => polls };
  };
  const shards = [heardAfter(0), heardAfter(5)];
  const act = async () => {
    actedAt = shards.map(({ polls }) => polls());
  };
  const disrupt = { gate: 'start', act, failed: () => undefined };
  const members = shards.map(({ member }) => member);
  expect(await watch(scenario, stages, members, { ...outside, disrupt })).toBeUndefined();
  expect(actedAt?.every((polls) => polls > 5)).toBe(true);
});

it('opens the first gate at 99 % of the clients, and at any number of them if that is the subject', async () => {
  const opens = async (of: Scenario, ready: number): Promise<boolean> => {
    const stages = plannedStages({ ...of, options: { clients: 1000, broadcasts: 11 } }, 1000);
    const gate = stages.find((each) => each.gate !== undefined)?.gate;
    let [isOpen, isCancelled] = [false, false];
    const client = {
      status: async () =>
        isOpen || isCancelled ? done : { ...waiting, waitingFor: gate, progress: { subscribers: ready } },
      openGate: async () => {
        isOpen = true;
      },
      end: async () => {
        isCancelled = true;
      },
    };
    const member = memberOf(client);
    const end = await watch(of, stages, [member], outside);
    expect(end?.code).toBe(isOpen ? undefined : 'audienceShort');
    return isOpen;
  };
  const capacity = scenarioCalled('idle');
  expect(await Promise.all([990, 989, 0].map((ready) => opens(scenario, ready)))).toEqual([true, false, false]);
  expect(await Promise.all([990, 1, 0].map((ready) => opens(capacity, ready)))).toEqual([true, true, true]);
});

it.each([
  ['shardEnded', 'shardEnded'],
  ['interrupted', 'shardLost'],
] as const)('a shard that ends by %s ends the run by %s, and the run says which', async (ofShard, ofRun) => {
  const result = { counts: {}, stop: { code: ofShard, evidence: ['seven'] } };
  const client = { status: async () => ({ ...done, result }), end: async () => undefined };
  const member = memberOf(client);
  expect(await watch(scenario, [], [member], outside)).toEqual({ code: ofRun, evidence: ['http://ring:7001: seven'] });
});

it('a run whose figure is known well enough waits for what is under way, and says how well', async () => {
  const how: string[] = [];
  const running = { ...waiting, waitingFor: null };
  const member = memberOf({
    status: async () => (how.length > 0 ? done : running),
    end: async (_job: string, ending: string) => void how.push(ending),
  });
  const known = { code: 'knownEnough', evidence: ['known to ±9.1 %'], afterMs: 7 } as const;
  expect(
    await watch(scenario, [], [member], { ...outside, look: () => ({ ...known, evidence: [...known.evidence] }) }),
  ).toEqual(known);
  expect(how).toEqual(['finish']);
});
