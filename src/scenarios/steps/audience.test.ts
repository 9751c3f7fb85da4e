import { describe, expect, it } from 'vitest';
import { valuesOf, type WorkerGiven, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { summarize } from '../../measure/samples/distribution.js';
import type { Clients, DeliveryBatch } from '../../protocols/protocol.js';
import { stepsAudience } from './audience.js';
import { stepLines, stepsLedger } from './index.js';
import { stepsOptions } from './loop.js';

interface Given extends WorkerGiven {
  options?: Record<string, unknown>;
  /** When the answer to a send comes, in milliseconds; never for undefined. */
  answerMs?: (sequence: number) => number | undefined;
  /** Whether a broadcast reaches a client. */
  reaches?: (client: number, sequence: number) => boolean;
}

/** The clients of a single worker before a scripted target, on a clock that does not wait. */
function audienceOnStage({ options = {}, answerMs = () => 3, reaches = () => true, ...given }: Given = {}) {
  const parsed = stepsOptions.parse({ step: 7, steps: 3, sample: 11, concurrent: 2, drainMs: 503, ...options });
  const worker = workerOnStage(parsed, {
    clientCount: parsed.step * parsed.steps,
    broadcasts: parsed.sample * parsed.steps,
    ...given,
  });
  const { clock } = worker;
  const sends: [client: number, sequence: number, atMs: number][] = [];
  const open = new Set<number>();
  const batch = (pairs: [client: number, sequence: number][]): DeliveryBatch => ({
    count: pairs.length,
    notBeforeNs: new Float64Array(pairs.length).fill(clock.nowNs()),
    client: Int32Array.from(pairs, ([client]) => client),
    sequence: Int32Array.from(pairs, ([, sequence]) => sequence),
    receivedAtNs: new Float64Array(pairs.length).fill(clock.nowNs()),
    flags: new Uint8Array(pairs.length),
  });
  const after = (ms: number, action: () => void) => clock.at(clock.nowNs() + ms * 1e6, action);
  const heard = (sequence: number, except = -1): [number, number][] =>
    [...open].filter((each) => each !== except && reaches(each, sequence)).map((each) => [each, sequence]);
  const audience = stepsAudience({
    ...worker.context,
    openClients: async (told): Promise<Clients> => {
      const events = {
        ...told,
        opened: told.opened.bind(told),
        ready: told.ready.bind(told),
        deliveries: told.deliveries.bind(told),
        resumed: told.resumed.bind(told),
        subscribed: (client: number, stream: string) => {
          open.add(client);
          told.subscribed(client, stream);
        },
        closed: (client: number, cause: string, wasOpen: boolean) => {
          open.delete(client);
          told.closed(client, cause, wasOpen);
        },
      };
      return {
        ...(await worker.context.openClients(events)),
        broadcast(client, _stream, sequence) {
          sends.push([client, sequence, worker.sinceStartMs()]);
          after(2, () => told.deliveries(batch(heard(sequence))));
          const ms = answerMs(sequence);
          if (ms !== undefined) after(ms, () => told.acknowledgements?.(batch([[client, sequence]])));
          return true;
        },
        echo(client, sequence) {
          sends.push([client, sequence, worker.sinceStartMs()]);
          const ms = answerMs(sequence);
          if (ms !== undefined) after(ms, () => told.deliveries(batch([[client, sequence]])));
          return true;
        },
      };
    },
  });
  const step = async (round: number) => {
    for (const name of ['ramp', 'send', 'drain']) {
      await clock.run(audience.stage(name, clock.nowNs(), worker.abort.signal, round));
    }
  };
  const ledger = () => {
    const report = audience.report();
    return { report, ...stepsLedger.ledger(report) };
  };
  return { ...worker, audience, sends, step, ledger };
}

describe('steps', () => {
  it('owe every broadcast of a step to every client of it, and to none of a later one', async () => {
    const { audience, step, ledger, sends } = audienceOnStage();
    for (const round of [0, 1, 2]) {
      await step(round);
      expect(audience.progress()).toMatchObject({ subscribers: 7 * (round + 1), stepSends: 11, stepSlow: 0 });
    }
    expect(sends.map(([, sequence]) => sequence).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 33 }, (_, n) => n),
    );
    const { entries, breaks, report } = ledger();
    expect(breaks).toEqual([]);
    const whole = 11 * (7 + 14 + 21);
    expect(entries).toMatchObject({ sent: 33, answered: 33, expected: whole, delivered: whole, lost: 0, stray: 0 });
    expect(entries.clients).toEqual({ 1: 7, 2: 14, 3: 21 });
    expect([1, 2, 3].map((n) => valuesOf(report.samples[`deliveryStep${n}`]).length)).toEqual([77, 154, 231]);
    expect([1, 2, 3].map((n) => valuesOf(report.samples[`roundTripStep${n}`]))).toEqual(
      [1, 2, 3].map(() => new Array<number>(11).fill(3000)),
    );
    expect(valuesOf(report.samples.roundTripAtLeast)).toEqual(new Array<number>(33).fill(3000));
    expect(valuesOf(report.samples.delivery).every((us) => us === 2000)).toBe(true);
  });

  it('never have more operations under way than told, and send the next when one is answered', async () => {
    const { step, sends } = audienceOnStage({ options: { concurrent: 3, sample: 10 }, answerMs: () => 17 });
    await step(0);
    const [, , first = 0] = sends[0] ?? [];
    expect(sends.map(([, , atMs]) => atMs - first)).toEqual([0, 0, 0, 17, 17, 17, 34, 34, 34, 51]);
  });

  it('take what another shard sends before this one begins to', async () => {
    const { audience, clock, abort, deliver, told, ledger } = audienceOnStage();
    await clock.run(audience.stage('ramp', clock.nowNs(), abort.signal, 0));
    deliver([0, 3], 5, 6);
    // Cut before the first send: it was there when its step began.
    told().closed(3, 'reset', true);
    const { entries, report } = ledger();
    expect([report.counts.received, entries.stray, report.counts.subscribers]).toEqual([2, 0, 7]);
    expect([...(report.series.owed ?? [])].slice(0, 11)).toEqual(new Array(11).fill(7));
  });

  it('find every missing broadcast, by its step', async () => {
    const { step, ledger } = audienceOnStage({ reaches: (client, sequence) => (client + sequence) % 5 !== 0 });
    for (const round of [0, 1, 2]) await step(round);
    const missing = (round: number): number => {
      let count = 0;
      for (let sequence = 11 * round; sequence < 11 * (round + 1); sequence++)
        for (let client = 0; client < 7 * (round + 1); client++) if ((client + sequence) % 5 === 0) count++;
      return count;
    };
    const { entries, breaks } = ledger();
    expect(breaks).toEqual([]);
    expect(entries.lostInStep).toEqual({ 1: missing(0), 2: missing(1), 3: missing(2) });
    expect(entries.lost).toBe(missing(0) + missing(1) + missing(2));
  });

  it('give an operation up that is not answered, and count it as slower than any limit', async () => {
    const { audience, clock, step, ledger } = audienceOnStage({
      options: { limit: 'p95<1s' },
      answerMs: (sequence) => (sequence === 4 ? undefined : sequence === 7 ? 601 : 3),
    });
    await step(0);
    expect(audience.progress()).toMatchObject({ stepSends: 11, stepSlow: 2, answered: 9 });
    await step(1);
    await clock.run(clock.sleep(211));
    const { entries, breaks } = ledger();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ sent: 22, answered: 20, unanswered: 2, late: 1, lost: 0 });
  });

  it('that are not answered rank behind all others of their step', async () => {
    const isMissed = (sequence: number): boolean => sequence < 100 && sequence % 10 === 4;
    const { step, ledger } = audienceOnStage({
      options: { sample: 100 },
      answerMs: (sequence) => (isMissed(sequence) ? undefined : 3),
    });
    for (const round of [0, 1]) await step(round);
    const { entries, unfinished = {}, report } = ledger();
    expect(entries).toMatchObject({ sent: 200, answered: 190, unanswered: 10 });
    const metrics = Object.fromEntries(
      ['roundTripStep1', 'roundTripStep2'].map((name) => {
        const { [name]: samples } = report.samples;
        if (!samples) throw new Error(`no ${name}`);
        return [name, summarize(samples, 'us', unfinished[name])];
      }),
    );
    expect(metrics.roundTripStep1).toMatchObject({ count: 90, unfinished: 10, p50: 3000, p95: null, max: null });
    expect(metrics.roundTripStep2).toMatchObject({ count: 100, p50: 3000, p95: 3000, max: 3000 });
    const [first, second] = stepLines(metrics, entries, (us) => String((us ?? 0) / 1000)).map((line) =>
      line.replaceAll(/ +/g, ' '),
    );
    expect(first).toBe('clients: 7 95per-rtt: – min-rtt: 3ms median-rtt: 3ms max-rtt: – unanswered 10');
    expect(second).toBe('clients: 14 95per-rtt: 3ms min-rtt: 3ms median-rtt: 3ms max-rtt: 3ms');
  });

  it('in echo mode owe each operation to its sender alone', async () => {
    const { step, ledger } = audienceOnStage({ options: { mode: 'echo' } });
    await step(0);
    await step(1);
    const { entries, breaks, report } = ledger();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ sent: 22, answered: 22, expected: 22, delivered: 22, lost: 0 });
    expect(entries.clients).toEqual({ 1: 7, 2: 14 });
    expect(valuesOf(report.samples.delivery)).toEqual([]);
  });

  it('end early when the run is ended, and the books foot', async () => {
    const { abort, at, step, ledger } = audienceOnStage({ answerMs: () => 101 });
    at(503, () => abort.abort());
    await step(0);
    const { entries, breaks } = ledger();
    expect(breaks).toEqual([]);
    expect(entries.sent).toBeLessThan(11);
    expect(entries.unanswered).toBe(2);
  });

  it('await the answers under way when their sends are ended, and send no more', async () => {
    const { audience, clock, at, ledger } = audienceOnStage({ answerMs: () => 101 });
    const end = new AbortController();
    at(503, () => end.abort());
    const { signal } = new AbortController();
    await clock.run(audience.stage('ramp', clock.nowNs(), signal, 0));
    await clock.run(audience.stage('send', clock.nowNs(), end.signal, 0));
    await clock.run(audience.stage('drain', clock.nowNs(), signal, 0));
    const { entries, breaks } = ledger();
    expect(breaks).toEqual([]);
    expect(entries.sent).toBeGreaterThan(0);
    expect(entries.sent).toBeLessThan(11);
    expect(entries).toMatchObject({ unanswered: 0, lost: 0 });
  });

  it('go without clients that are gone; what they were still owed is lost', async () => {
    const { step, told, ledger, gaveUp } = audienceOnStage();
    await step(0);
    for (const client of [2, 3]) told().closed(client, 'reset', true);
    await step(1);
    const { entries, breaks } = ledger();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ sent: 22, expected: 11 * (7 + 12), lost: 0 });
    expect(gaveUp).toEqual([]);
  });
});
