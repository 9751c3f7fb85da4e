import { Centrifuge, type PublicationContext } from 'centrifuge';
import { defineFlow } from 'ringside-bench/flow';

export default defineFlow({
  metrics: { publication: { meaning: 'from the publish to the publication' } },
  async client(me) {
    const url = new URL('/connection/websocket', me.target).href;
    const centrifuge = new Centrifuge(url, { websocket: me.WebSocket });
    const room = centrifuge.newSubscription(`room${me.number}`);
    room.subscribe();
    centrifuge.connect();
    await room.ready();
    for (let n = 0; n < 20; n++) {
      const mark = `${me.number}:${n}`;
      const heard = new Promise<PublicationContext>((resolve) => room.once('publication', resolve));
      const { data } = await me.time('publication', () => room.publish({ mark }).then(() => heard));
      me.check('came back with its mark', data.mark === mark);
    }
    centrifuge.disconnect();
  },
});
