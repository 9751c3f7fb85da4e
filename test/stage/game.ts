import { GameAudience } from '../../src/scenarios/game/audience.js';
import { gameLedger } from '../../src/scenarios/game/ledger.js';
import { gameOptions } from '../../src/scenarios/game/options.js';
import { type FateOf, leaveAtInstant } from './ahead.js';
import { type WorkerGiven, workerOnStage } from './worker-on-stage.js';

export const [clients, startMs, playMs] = [13, 2000, 6000];

/** What the server does with a key to a player, and with a ping. */
interface Server extends WorkerGiven {
  loses?(client: number, sequence: number): boolean;
  doubles?(client: number, sequence: number): boolean;
  isMute?(atMs: number): boolean;
  /** How long the stages last. */
  lastsMs?: number;
  /** Clients take sends ahead. */
  ahead?: FateOf;
}

/**
 * For tests: one worker with thirteen players who arrive within 1300 ms, before a game server that answers after 7 ms.
 * Rooms of six fill in the order of the requests, and start at 2000 ms. Everybody then types five keys a second, and
 * pings every second.
 */
export function gameOnStage(server: Server = {}) {
  const {
    loses = () => false,
    doubles = () => false,
    isMute = () => false,
    lastsMs = playMs,
    ahead,
    ...given
  } = server;
  const stages = `1300ms:${clients},${lastsMs - 1300}ms:${clients}`;
  const options = gameOptions.parse({ stages, deadAfterMs: 8000, drainMs: 499 });
  const worker = workerOnStage(options, { clientCount: clients, ...given });
  const { context, clock, deliver } = worker;
  const sends: [client: number, sequence: number, key: number | 'ping', atMs: number][] = [];
  const roomOf = new Map<number, string>();
  let dealt = 0;
  context.ask = async () => ({ text: JSON.stringify({ room: `g${Math.floor(dealt / 6) + 3}`, seat: dealt++ % 6 }) });
  const { openClients } = context;
  const later = (act: () => void): void => {
    if (!isMute(worker.sinceStartMs())) clock.at(clock.nowNs() + 7e6, act);
  };
  const say = (
    { client, sequence, dueNs }: { client: number; sequence: number; dueNs: number | undefined },
    key: number | 'ping',
    answer: () => void,
  ): boolean => {
    const leave = (): void => {
      sends.push([client, sequence, key, worker.sinceStartMs()]);
      later(answer);
    };
    if (dueNs === undefined || ahead === undefined) leave();
    else leaveAtInstant(worker, { client, sequence, dueNs }, ahead, leave);
    return true;
  };
  context.openClients = async (events) => {
    const made = await openClients(events);
    return {
      ...made,
      subscribe(client, stream) {
        if (stream.endsWith('/start')) return worker.at(startMs, () => events.subscribed(client, stream));
        roomOf.set(client, stream.split('/')[0] as string);
        return made.subscribe(client, stream);
      },
      sendsAhead: ahead !== undefined,
      type(client, stream, number, sequence, dueNs) {
        const members = [...roomOf].flatMap(([each, room]) => (stream.startsWith(`${room}/`) ? [each] : []));
        return say({ client, sequence, dueNs }, number, () => {
          const got = members.filter((each) => !loses(each, sequence));
          const again = got.filter((each) => doubles(each, sequence));
          deliver([...got, ...again], sequence, sequence + 1);
        });
      },
      echo: (client, sequence, dueNs) =>
        say({ client, sequence, dueNs }, 'ping', () => deliver([client], sequence, sequence + 1)),
    };
  };
  const audience = new GameAudience(context);
  const played = async () => {
    for (const stage of ['ramp', 'play', 'drain']) await worker.play(audience, stage);
    const report = audience.report();
    return { report, ledger: gameLedger.ledger(report) };
  };
  return { ...worker, audience, sends, played };
}
