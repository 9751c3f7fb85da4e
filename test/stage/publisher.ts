import { Board } from '../../src/measure/samples/board.js';
import { Recorder } from '../../src/measure/samples/recorder.js';
import { BroadcastPublisher } from '../../src/scenarios/broadcasts/publisher.js';
import { latencyOptions } from '../../src/scenarios/latency/options.js';
import { loadOptions } from '../../src/scenarios/load-options.js';
import type { RoleReport } from '../../src/scenarios/scenario.js';
import { FakeClock } from './fake-clock.js';

/** What the target does with the broadcast of that sequence number. */
export interface Answer {
  afterMs: number;
  says: number | string;
  /** How long the HTTP client keeps the request before it writes it. */
  queuedMs?: number;
  /** How long the answer lay in the socket before it was taken. */
  lyingMs?: number;
  /** No connection: the request was never handed to a socket. */
  isUnsent?: boolean;
}

export interface Given {
  warmUp?: number;
  broadcasts?: number;
  ratePerSecond?: number;
  maxInFlight?: number;
  slice?: { index: number; of: number };
  answer?(sequence: number): Answer;
  abortAtNs?: number;
}

export interface Played {
  report: RoleReport;
  figures: Record<string, number>;
  board: Board;
  /** `[sequence, milliseconds after the start]` of every send. */
  sends: [number, number][];
  mostInFlight: number;
  endMs: number;
}

export const startNs = 13e9;
/** It answers after 1 ms. */
export const prompt = (): Answer => ({ afterMs: 1, says: 200 });

/** Plays the publish stage of one shard against a target of known behaviour. */
export async function play({ slice = { index: 0, of: 1 }, answer = prompt, ...given }: Given = {}): Promise<Played> {
  const { warmUp = 0, broadcasts = 7, ratePerSecond = 5, maxInFlight = 3 } = given;
  const options = latencyOptions.parse({ warmUp, broadcasts, ratePerSecond });
  const clock = new FakeClock(startNs - 1e9);
  const abort = new AbortController();
  if (given.abortAtNs !== undefined) clock.at(startNs + given.abortAtNs, () => abort.abort());
  const board = new Board(warmUp + broadcasts);
  const sends: [number, number][] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const publisher = new BroadcastPublisher({
    options,
    load: loadOptions.parse({ maxInFlight }),
    stream: 'spring',
    board,
    slice,
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
      const { afterMs, says, queuedMs = 0, lyingMs = 0, isUnsent = false } = answer(Number(data));
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      if (queuedMs > 0) await clock.sleep(queuedMs, abort.signal);
      if (!isUnsent) {
        events?.sent?.();
        events?.written?.();
        sends.push([Number(data), (clock.nowNs() - startNs) / 1e6]);
      }
      await clock.sleep(afterMs, abort.signal);
      events?.answered?.(clock.nowNs() - lyingMs * 1e6);
      inFlight--;
      return abort.signal.aborted ? 'ours' : says;
    },
  });
  await clock.run(publisher.stage('publish', startNs, abort.signal));
  const endMs = (clock.nowNs() - startNs) / 1e6;
  return { report: publisher.report(), figures: publisher.progress(), board, sends, mostInFlight, endMs };
}
