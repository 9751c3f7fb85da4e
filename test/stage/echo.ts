import type { Clients } from '../../src/protocols/protocol.js';
import { EchoAudience } from '../../src/scenarios/echo/audience.js';
import { firstSend } from '../../src/scenarios/echo/book.js';
import { echoOptions } from '../../src/scenarios/echo/options.js';
import { type FateOf, leaveAtInstant } from './ahead.js';
import { type WorkerGiven, workerOnStage } from './worker-on-stage.js';

export { startNs } from './worker-on-stage.js';

/** When the copies of an echo come back, in ms after the send: none for a lost one, two for a doubled one. */
export type Answer = (client: number, sequence: number) => readonly number[];

export interface Given extends WorkerGiven {
  firstClient?: number;
  options?: Record<string, unknown>;
  answer?: Answer;
  /** Clients take sends ahead. */
  ahead?: FateOf | undefined;
}

/** The sequence number of the first send of a worker with seven clients: those below are of first echoes. */
export const first = firstSend(7);

const prompt: Answer = () => [3];

/** For tests: the clients of one worker before a target that echoes as told, on a clock that does not wait. */
export function audienceOnStage({ options = {}, answer = prompt, firstClient = 0, ahead, ...given }: Given = {}) {
  const { clientCount = 7 } = given;
  const parsed = echoOptions.parse({
    clients: clientCount,
    durationMs: 1000,
    ratePerSecond: 10,
    drainMs: 503,
    ...options,
  });
  const worker = workerOnStage(parsed, { ...given, clientCount });
  const sends: [client: number, sequence: number, atMs: number][] = [];
  const { clock } = worker;
  const say = (client: number, sequence: number): void => {
    sends.push([client, sequence, worker.sinceStartMs()]);
    for (const afterMs of answer(client, sequence)) {
      clock.at(clock.nowNs() + afterMs * 1e6, () => worker.deliver([client], sequence, sequence + 1));
    }
  };
  const echo = (client: number, sequence: number, dueNs?: number): boolean => {
    if (dueNs === undefined || ahead === undefined) say(client, sequence);
    else leaveAtInstant(worker, { client, sequence, dueNs }, ahead, () => say(client, sequence));
    return true;
  };
  const audience = new EchoAudience({
    ...worker.context,
    firstClient,
    openClients: async (told): Promise<Clients> => ({
      ...(await worker.context.openClients(told)),
      sendsAhead: ahead !== undefined,
      echo,
    }),
  });
  return { ...worker, audience, sends, stage: (name: string) => worker.play(audience, name) };
}
