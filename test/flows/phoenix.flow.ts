import { type Push, Socket } from 'phoenix';
import { defineFlow } from 'ringside-bench/flow';

export default defineFlow({
  metrics: { push: { meaning: 'from the push to its answer' } },
  async client(me) {
    const socket = new Socket(new URL('/socket', me.target).href, { transport: me.WebSocket });
    socket.connect();
    const channel = socket.channel(`room:${me.number}`);
    const answered = (push: Push) =>
      new Promise<{ mark: string }>((resolve, reject) => push.receive('ok', resolve).receive('error', reject));
    await answered(channel.join());
    for (let n = 0; n < 20; n++) {
      const mark = `${me.number}:${n}`;
      const { mark: answer } = await me.time('push', () => answered(channel.push('said', { mark })));
      me.check('answered with its mark', answer === mark);
    }
    await new Promise<void>((resolve) => socket.disconnect(resolve));
  },
});
