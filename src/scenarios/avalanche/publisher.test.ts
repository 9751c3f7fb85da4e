import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/stage/fake-clock.js';
import { Board } from '../../measure/samples/board.js';
import { Recorder } from '../../measure/samples/recorder.js';
import { loadOptions } from '../load-options.js';
import { avalancheOptions } from './options.js';
import { AvalanchePublisher } from './publisher.js';

const startNs = 13e9;

/** A publisher of shard `index` of 2, before a target that answers after 3 ms, or never where `answers` says so. */
function onStage({ index = 0, answers = (_sequence: number): number | string | undefined => 200 } = {}) {
  const clock = new FakeClock(startNs);
  const abort = new AbortController();
  const sends: [sequence: number, atMs: number][] = [];
  const options = avalancheOptions.parse({ calmBroadcasts: 3, ratePerSecond: 5 });
  const publisher = new AvalanchePublisher({
    options,
    load: loadOptions.parse({}),
    stream: 'spring',
    board: new Board(3 + 41),
    slice: { index, of: 2 },
    seed: 7,
    nowNs: clock.nowNs,
    sleep: clock.sleep,
    until: clock.until,
    recorder: () => new Recorder(),
    openClients: () => Promise.reject(new Error('nobody connects here')),
    log: () => undefined,
    giveUp: () => undefined,
    payload: (sequence) => String(sequence),
    async publish(data, events) {
      events?.sent?.();
      sends.push([Number(data), (clock.nowNs() - startNs) / 1e6]);
      await clock.sleep(3);
      const answer = answers(Number(data));
      return answer ?? new Promise<never>(() => undefined);
    },
  });
  return {
    publisher,
    clock,
    abort,
    sends,
    play: (name: string) => clock.run(publisher.stage(name, clock.nowNs(), abort.signal)),
    wait: (ms: number) => clock.run(clock.sleep(ms)),
  };
}

describe('the publisher of an avalanche', () => {
  it('sends its share of the calm, and then goes on beyond the end of its stage until the drain', async () => {
    const { play, wait, sends, publisher } = onStage();
    await play('ramp');
    await play('calm');
    expect(sends).toEqual([
      [0, 0],
      [2, 400],
    ]);
    await play('storm');
    await wait(997);
    await play('drain');
    const shift = 403;
    expect(sends.slice(2)).toEqual([
      [3, shift],
      [5, shift + 400],
      [7, shift + 800],
    ]);
    await wait(2003);
    expect(sends).toHaveLength(5);
    expect(publisher.progress()).toEqual({ published: 5, acked: 5 });
    expect(publisher.report().counts).toMatchObject({ attempted: 5, acked: 5, refused: 0, failedPublishes: 0 });
  });

  it('sends what the other shard does not', async () => {
    const { play, wait, sends } = onStage({ index: 1 });
    await play('calm');
    await play('storm');
    await wait(997);
    await play('drain');
    expect(sends.map(([sequence]) => sequence)).toEqual([1, 4, 6]);
  });

  it('counts what the target does not take, by cause', async () => {
    const answers = (sequence: number) => (sequence === 5 ? 'connect-refused' : sequence === 7 ? 503 : 200);
    const { play, wait, publisher } = onStage({ answers });
    await play('calm');
    await play('storm');
    await wait(997);
    await play('drain');
    const { counts, causes } = publisher.report();
    expect(counts).toMatchObject({ attempted: 5, acked: 3, refused: 1, failedPublishes: 1 });
    expect(causes).toEqual({ publish: { 'connect-refused': 1, 'http-status:503': 1 } });
  });

  it('leaves no publish out of its books when the run is ended in the storm', async () => {
    const { play, wait, publisher, abort } = onStage({ answers: (sequence) => (sequence < 5 ? 200 : undefined) });
    await play('calm');
    await play('storm');
    await wait(601);
    abort.abort();
    const { counts, causes } = publisher.report();
    expect(counts).toMatchObject({ attempted: 4, acked: 3, failedPublishes: 1 });
    expect(causes).toEqual({ publish: { ours: 1 } });
  });
});
