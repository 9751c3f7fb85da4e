import type { Clients } from '../../src/protocols/protocol.js';
import { WhisperAudience } from '../../src/scenarios/whisper/audience.js';
import { whisperOptions } from '../../src/scenarios/whisper/options.js';
import { type FateOf, leaveAtInstant } from './ahead.js';
import { type WorkerGiven, workerOnStage } from './worker-on-stage.js';

/** A whisper that a client handed to its socket. */
export interface Sent {
  client: number;
  stream: string;
  sequence: number;
  atMs: number;
}

export interface Given extends WorkerGiven {
  firstClient?: number;
  options?: Record<string, unknown>;
  /** After how many milliseconds each copy of a whisper reaches a client of this worker in the same room. */
  answer?: (sent: Sent, receiver: number) => readonly number[];
  /** Clients take whispers ahead. */
  ahead?: FateOf | undefined;
}

/** The clients of one worker before a target that passes whispers on as ordered, on a clock that leaps. */
export function audienceOnStage({ options = {}, answer = () => [3], firstClient = 0, ahead, ...given }: Given = {}) {
  const { clientCount = 7 } = given;
  const totalClients = given.totalClients ?? clientCount;
  const parsed = whisperOptions.parse({
    ...{ clients: totalClients, room: 4, durationMs: 500, ratePerSecond: 10, drainMs: 503, warmUp: 1 },
    ...options,
  });
  const worker = workerOnStage(parsed, { ...given, clientCount });
  const sends: Sent[] = [];
  const streams: string[] = [];
  const { clock } = worker;
  const say = (client: number, stream: string, sequence: number): void => {
    const sent = { client, stream, sequence, atMs: worker.sinceStartMs() };
    sends.push(sent);
    streams.forEach((each, receiver) => {
      if (each !== stream || receiver === client) return;
      for (const afterMs of answer(sent, receiver)) {
        clock.at(clock.nowNs() + afterMs * 1e6, () => worker.deliver([receiver], sequence, sequence + 1));
      }
    });
  };
  const whisper = (client: number, stream: string, sequence: number, dueNs?: number): boolean => {
    if (dueNs === undefined || ahead === undefined) say(client, stream, sequence);
    else leaveAtInstant(worker, { client, sequence, dueNs }, ahead, () => say(client, stream, sequence));
    return true;
  };
  const audience = new WhisperAudience({
    ...worker.context,
    firstClient,
    openClients: async (told): Promise<Clients> => {
      const clients = await worker.context.openClients(told);
      return {
        ...clients,
        subscribe(client, stream) {
          streams[client] = stream;
          clients.subscribe(client, stream);
        },
        sendsAhead: ahead !== undefined,
        whisper,
      };
    },
  });
  return { ...worker, audience, sends, streams, stage: (name: string) => worker.play(audience, name) };
}
