import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { defineFlow } from 'ringside-bench/flow';

export default defineFlow({
  metrics: { invoke: { meaning: 'from the invocation to its result' } },
  async client(me) {
    const transport = { skipNegotiation: true, transport: HttpTransportType.WebSockets, WebSocket: me.WebSocket };
    const url = new URL('/hub', me.target).href.replace('ws', 'http');
    const hub = new HubConnectionBuilder().withUrl(url, transport).configureLogging(LogLevel.Error).build();
    await hub.start();
    for (let n = 0; n < 20; n++) {
      const mark = `${me.number}:${n}`;
      me.check('answered with its mark', (await me.time('invoke', () => hub.invoke('Echo', mark))) === mark);
    }
    await hub.stop();
  },
});
