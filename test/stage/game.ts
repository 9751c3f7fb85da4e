import { GameAudience } from '../../src/scenarios/game/audience.js';
import { gameLedger } from '../../src/scenarios/game/ledger.js';
import { gameOptions } from '../../src/scenarios/game/options.js';
import { type WorkerGiven, workerOnStage } from './worker-on-stage.js';

export const [clients, startMs, playMs] = [13, 2000, 6000];

/** What the server does with a key to a player, and with a ping. */
interface Server extends WorkerGiven {
  loses?(client: number, sequence: number): boolean;
  doubles?(client: number, sequence: number): boolean;
  isMute?(atMs: number): boolean;
  /** How long the stages last. */
  lastsMs?: number;
}

/**
 * For tests: one worker with thirteen players who arrive within 1300 ms, before a game server that answers after 7 ms.
 * Rooms of six fill in the order of the requests, and start at 2000 ms. Everybody then types five keys a second, and
 * pings every second.
 */
export function gameOnStage(server: Server = {}) {
  const { loses = () => false, doubles = () => false, isMute = () => false, lastsMs = playMs, ...given } = server;
  const stages = `1300ms:${clients},${lastsMs - 1300}ms:${clients}`;
  const options = gameOptions.parse({ stages, deadAfterMs: 8000, drainMs: 499 });
  const worker = workerOnStage(options, { clientCount: clients, ...given });
  const { context, clock, deliver } = worker;
  const roomOf = new Map<number, string>();
  let dealt = 0;
  context.ask = async () => ({ text: JSON.stringify({ room: `g${Math.floor(dealt / 6) + 3}`, seat: dealt++ % 6 }) });
  const { openClients } = context;
  const later = (act: () => void): void => {
    if (!isMute(worker.sinceStartMs())) clock.at(clock.nowNs() + 7e6, act);
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
      type(client, stream, _number, sequence) {
        const members = [...roomOf].flatMap(([each, room]) => (stream.startsWith(`${room}/`) ? [each] : []));
        later(() => {
          const got = members.filter((each) => !loses(each, sequence));
          const again = got.filter((each) => doubles(each, sequence));
          deliver([...got, ...again], sequence, sequence + 1);
        });
        return roomOf.has(client);
      },
      echo(client, sequence) {
        later(() => deliver([client], sequence, sequence + 1));
        return true;
      },
    };
  };
  const audience = new GameAudience(context);
  const played = async () => {
    for (const stage of ['ramp', 'play', 'drain']) await worker.play(audience, stage);
    const report = audience.report();
    return { report, ledger: gameLedger.ledger(report) };
  };
  return { ...worker, audience, played };
}
