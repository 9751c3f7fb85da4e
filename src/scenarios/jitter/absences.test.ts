import { expect, it } from 'vitest';
import { Timeline } from '../timeline.js';
import { workerOnStage } from '../worker-on-stage.js';
import { Absences } from './absences.js';
import { jitterOptions } from './options.js';

it.each([
  [true, 'unnoticed by its library'],
  [false, 'not yet closed'],
])('a client whose close hangs is told by its kind: its library reconnects: %s', (reconnects, why) => {
  const options = jitterOptions.parse({ subscribers: 1, warmUp: 0, dropMode: 'close', spread: 'fixed' });
  const { context, clock } = workerOnStage(options, { clientCount: 1, broadcasts: 120 });
  const absences = new Absences(context);
  const nothing = (): void => undefined;
  const startAtNs = clock.nowNs();
  absences.begin({
    startAtNs,
    clients: { ...(reconnects && { reconnects }), open: nothing, subscribe: nothing, drop: nothing, dispose: nothing },
    isMember: () => true,
    timeline: new Timeline(startAtNs),
    stranded: nothing,
  });
  clock.at(startAtNs + options.everyMs * 1e6, () => absences.tick());
  return clock.run(clock.sleep(options.everyMs + 1)).then(() => {
    expect(absences.report().causes.notBack).toEqual({ [why]: 1 });
  });
});
