import { ProblemError, problem } from '../../contract/problems.js';
import type { StartMetronome } from '../../runner/drill/metronome-holder.js';

/** Starts the metronome on a free loopback port. Its modules load only when a drill asks for it. */
export const startMetronome: StartMetronome = async () => {
  const [{ targets }, { startTarget }, { TargetStartError }] = await Promise.all([
    import('../../targets/list.js'),
    import('../../targets/launch/process.js'),
    import('../../targets/launch/start-error.js'),
  ]);
  const metronome = targets.find(({ name }) => name === 'metronome');
  if (!metronome) throw new Error('there is no target named metronome');
  const running = await startTarget(metronome, { host: '127.0.0.1' }).catch((error: unknown) => {
    if (!(error instanceof TargetStartError)) throw error;
    throw new ProblemError([problem('targetFailed', `the metronome: ${error.why}`, error.hint)]);
  });
  const { wsUrl, publishUrl } = running.endpoints;
  return { wsUrl, publishUrl, stop: () => running.stop() };
};
