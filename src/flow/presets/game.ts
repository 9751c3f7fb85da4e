import { type GameOptions, keysPerSecond } from '../../scenarios/game/role.js';
import { type Flow, Left, type Time, takeTurns } from '../api.js';

/** How a client reaches its server: the upgrade, the namespace before each packet, and the packet that enters it. */
export interface GameEntry {
  url: string;
  headers: Readonly<Record<string, string>>;
  protocols: readonly string[];
  prefix: string;
  hello: string;
}

/** Bytes of a mark with its quotes. */
const markBytes = 22;
const longestCountdownMs = 5000;
/** Longer than any run. */
const always = '48h';

function subscribeTimeout(error: unknown): never {
  throw error instanceof Left && error.cause === 'within' ? new Left('subscribe-timeout') : error;
}

/** Returns the life of a player of the typing game: matchmaking, a seat, the start, then keys and pings. */
export function gameFlow(options: GameOptions, entryOf: (client: number) => GameEntry, withinMs: number): Flow {
  const data = `"{mark}${'x'.repeat(options.payloadBytes - markBytes)}"`;
  return {
    metrics: { arrival: { meaning: 'from the start of the TCP connect to the confirmed seat' } },
    async client(me) {
      const { room, seat } = await me.http.post('/api/pvp/matchmake').json<{ room: string; seat: number }>();
      if (!Number.isInteger(seat)) throw new Left('protocol-error:no seat');
      const { url, headers, protocols, prefix, hello } = entryOf(me.number);
      const place = `${room}/${seat}`;
      const { game, answer, passage } = await me.time('arrival', async () => {
        const game = await me.open(url, { headers, protocols, parse: 'text' });
        // Pings of Engine.IO. Events of the game ask nothing of a player.
        game.on(/^2$/, () => game.send('3'));
        game.on(/^42/, () => undefined);
        /** Sends a packet, and resolves with the JSON of the one that begins so. */
        const answer = async (packet: string, head: string, within: Time) => {
          if (packet !== '') game.send(packet);
          const came = game.next<string>((text: string) => text.startsWith(head) || /^4[14]/.test(text), { within });
          const { json } = await came.catch(subscribeTimeout);
          if (/^4[14]/.test(json)) throw new Left('rejected:io server disconnect');
          return JSON.parse(json.slice(head.length));
        };
        await answer(hello, `40${prefix}`, withinMs);
        const [{ passage }] = await answer(`42${prefix}1["join","${place}"]`, `43${prefix}1`, withinMs);
        return { game, answer, passage: String(passage) };
      });
      const start = `42${prefix}2["join","${place}/start"]`;
      const players = await me.join(room, () => answer(start, `43${prefix}2`, withinMs + longestCountdownMs));
      const key = (letter: string) => `42${prefix}["keystroke","${place}",${JSON.stringify(letter)},${data}]`;
      const keys = takeTurns([...passage].map(key));
      game.every({ perSecond: keysPerSecond(options) }, keys, { name: '', owed: players.all });
      const ping = `42${prefix}3["echo",${data}]`;
      game.every({ perSecond: options.pingsPerSecond }, ping, { name: '', answer: { mark: true } });
      // Ends with the socket or the run.
      await answer('', '41', always);
    },
  };
}
