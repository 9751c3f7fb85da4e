import { expect, it } from 'vitest';
import { shardDone as done, memberOf, outsideOfRun as outside, shardAtGate as waiting } from '../../test/members.js';
import { scenarioCalled } from '../../test/scenarios.js';
import { plannedStages } from '../scenarios/rounds.js';
import { watch } from './watch.js';

it('shards exchange their sends before the gate of that opens, and only if there are several', async () => {
  const stages = plannedStages({ ...scenarioCalled('flow'), options: { clients: 7 } }, 7);
  const acts = async (count: number): Promise<string[]> => {
    const acted: string[] = [];
    const members = Array.from({ length: count }, (_, index) => {
      let isOpen = false;
      return memberOf({
        status: async () => (isOpen ? done : { ...waiting, waitingFor: 'exchange' }),
        now: async () => ({ wallMs: 0, monotonicMs: 0, holder: null }),
        sends: async () => Uint8Array.of(index),
        learn: async (_job: string, [from]: Uint8Array) => void acted.push(`${index} learns ${from}`),
        openGate: async () => {
          isOpen = true;
          acted.push('opens');
        },
      });
    });
    await watch(scenarioCalled('flow'), stages, members, outside);
    return acted;
  };
  expect(await acts(1)).toEqual(['opens']);
  expect(await acts(2)).toEqual(['1 learns 0', '0 learns 1', 'opens', 'opens']);
});

it('shards of a run that its user ends exchange their sends, too, without one that is over', async () => {
  const acted: string[] = [];
  const interrupt = new AbortController();
  const members = [0, 1, 2].map((index) => {
    let [isFinishing, isOpen] = [false, false];
    return memberOf({
      status: async () => {
        if (isOpen || (isFinishing && index === 2)) return done;
        return { ...waiting, waitingFor: isFinishing ? 'exchange' : null };
      },
      end: async () => {
        isFinishing = true;
      },
      now: async () => ({ wallMs: 0, monotonicMs: 0, holder: null }),
      sends: async () => Uint8Array.of(index),
      learn: async (_job: string, [from]: Uint8Array) => void acted.push(`${index} learns ${from}`),
      openGate: async () => {
        isOpen = true;
        acted.push('opens');
      },
    });
  });
  const end = await watch(scenarioCalled('flow'), [], members, {
    ...outside,
    interrupt: interrupt.signal,
    keepsPart: true,
    look: () => interrupt.abort(),
  });
  expect([end?.code, acted]).toEqual(['endedByUser', ['1 learns 0', '0 learns 1', 'opens', 'opens']]);
});
