import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { delivery, WireStage } from '../../test/stage/wire-stage.js';

const connectTimeoutMs = 3001;

overEngines((make) => {
  const stage = new WireStage(make);

  it('has no deadline any more once it is open', async () => {
    const engine = stage.createEngine({ connectTimeoutMs });
    const { socket } = await stage.open(engine, 3);
    await delay(connectTimeoutMs + 503);
    socket.send(delivery(7));
    await stage.sink.until(() => stage.sink.seen.length > 0);
    expect(stage.sink.events).toEqual(['opened 3']);
  });
});
