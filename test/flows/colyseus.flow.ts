import { Client } from '@colyseus/sdk';
import { defineFlow } from 'ringside-bench/flow';

// The library takes no class: it reads the global WebSocket, which is one on the engine.
export default defineFlow({
  metrics: { message: { meaning: 'from the send to the message' } },
  async client(me) {
    const room = await new Client(me.target.href).create('chat');
    let heard: (mark: string) => void;
    room.onMessage('said', (mark: string) => heard(mark));
    for (let n = 0; n < 20; n++) {
      const mark = `${me.number}:${n}`;
      const message = new Promise<string>((resolve) => (heard = resolve));
      room.send('say', mark);
      me.check('came back with its mark', (await me.time('message', () => message)) === mark);
    }
    await room.leave();
  },
});
