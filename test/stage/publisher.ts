import type { StampTable } from '../../src/measure/samples/recorder.js';
import { latencyOptions } from '../../src/scenarios/latency.js';
import { loadOptions } from '../../src/scenarios/load-options.js';
import type { PublisherContext, Role, RoleReport } from '../../src/scenarios/scenario.js';
import { publishBroadcasts } from '../../src/scenarios/traffic/broadcasts.js';
import { startNs as stageNs, workerOnStage } from './worker-on-stage.js';

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
  board: StampTable;
  /** `[sequence, milliseconds after the start]` of every send. */
  sends: [number, number][];
  mostInFlight: number;
  endMs: number;
}

/** The publish stage begins a second after the clock of the stage. */
export const startNs = stageNs + 1e9;
/** It answers after 1 ms. */
export const prompt = (): Answer => ({ afterMs: 1, says: 200 });

/** Plays the publish stage of one shard against a target of known behaviour. */
export async function play({ slice = { index: 0, of: 1 }, answer = prompt, ...given }: Given = {}): Promise<Played> {
  const { warmUp = 0, broadcasts = 7, ratePerSecond = 5, maxInFlight = 3 } = given;
  const options = latencyOptions.parse({ warmUp, broadcasts, ratePerSecond });
  const { context, clock, abort } = workerOnStage(options, { broadcasts: warmUp + broadcasts });
  if (given.abortAtNs !== undefined) clock.at(startNs + given.abortAtNs, () => abort.abort());
  const sends: [number, number][] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const publisher = publishBroadcasts({
    ...context,
    load: loadOptions.parse({ maxInFlight }),
    slice,
    until: clock.until,
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
  return {
    report: publisher.report(),
    figures: publisher.progress(),
    board: context.board,
    sends,
    mostInFlight,
    endMs,
  };
}

/** What such a publisher has before it. */
export interface Scene {
  broadcasts: number;
  slice?: { index: number; of: number };
  /** What the target answers; a word if nothing was sent, nothing if it never answers. */
  answers?: ((sequence: number) => number | string | undefined) | undefined;
}

/** The publisher of a scenario that publishes beyond its stages, before a target that answers after 3 ms. */
export function publisherOnStage<O, P extends Role>(
  publisherOf: (context: PublisherContext<O>) => P,
  options: O,
  { broadcasts, slice = { index: 0, of: 1 }, answers = () => 200 }: Scene,
) {
  const { context, clock, abort, play, sinceStartMs } = workerOnStage(options, { broadcasts });
  const sends: [sequence: number, atMs: number][] = [];
  const publisher = publisherOf({
    ...context,
    slice,
    until: clock.until,
    payload: (sequence) => String(sequence),
    async publish(data, events) {
      const answer = answers(Number(data));
      if (typeof answer !== 'string') events?.sent?.();
      sends.push([Number(data), sinceStartMs()]);
      await clock.sleep(3);
      return answer ?? new Promise<never>(() => undefined);
    },
  });
  return {
    publisher,
    abort,
    sends,
    sinceMs: sinceStartMs,
    play: (name: string) => play(publisher, name),
    wait: (ms: number) => clock.run(clock.sleep(ms)),
  };
}
