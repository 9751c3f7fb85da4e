import { Client, type IMessage } from '@stomp/stompjs';
import { defineFlow } from 'ringside-bench/flow';

export default defineFlow({
  metrics: { message: { meaning: 'from the send to the message' } },
  async client(me) {
    const stomp = new Client({
      webSocketFactory: () => new me.WebSocket(me.target.href, 'v12.stomp'),
      reconnectDelay: 0,
    });
    await new Promise<unknown>((resolve, reject) => {
      Object.assign(stomp, { onConnect: resolve, onStompError: reject, onWebSocketError: reject }).activate();
    });
    let heard: (message: IMessage) => void;
    stomp.subscribe(`/topic/${me.number}`, (message) => heard(message));
    for (let n = 0; n < 20; n++) {
      const mark = `${me.number}:${n}`;
      const message = new Promise<IMessage>((resolve) => (heard = resolve));
      stomp.publish({ destination: `/topic/${me.number}`, body: mark });
      me.check('came back with its mark', (await me.time('message', () => message)).body === mark);
    }
    await stomp.deactivate();
  },
});
