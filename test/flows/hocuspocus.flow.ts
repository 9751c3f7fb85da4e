import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider';
import { defineFlow } from 'ringside-bench/flow';

export default defineFlow({
  metrics: { update: { meaning: 'from a change in one copy to the other copy' } },
  async client(me) {
    const open = async () => {
      const socket = new HocuspocusProviderWebsocket({ url: me.target.href, WebSocketPolyfill: me.WebSocket });
      const copy = new HocuspocusProvider({ websocketProvider: socket, name: `page${me.number}` });
      copy.attach();
      await new Promise((resolve) => copy.on('synced', resolve));
      return { copy, socket, map: copy.document.getMap<string>('marks') };
    };
    const [one, other] = [await open(), await open()];
    for (let n = 0; n < 20; n++) {
      const mark = `${me.number}:${n}`;
      const heard = new Promise((resolve) => other.map.observe(resolve));
      one.map.set('mark', mark);
      await me.time('update', () => heard);
      me.check('came over with its mark', other.map.get('mark') === mark);
    }
    for (const { copy, socket } of [one, other]) {
      copy.destroy();
      socket.destroy();
    }
  },
});
