import { avalanche } from './avalanche/index.js';
import { connect } from './connect.js';
import { deploy } from './deploy/index.js';
import { echo } from './echo.js';
import { flow } from './flow/index.js';
import { game } from './game/index.js';
import { idle } from './idle/index.js';
import { jitter } from './jitter.js';
import { latency } from './latency.js';
import { withLogins } from './rounds.js';
import type { Scenario } from './scenario.js';
import { slowReaders } from './slow-readers/index.js';
import { soakAndBurst } from './soak-and-burst.js';
import { steps } from './steps/index.js';
import { throughput } from './throughput/index.js';
import { whisper } from './whisper.js';

/** Lists every scenario. A new one is a file or folder beside `latency`, and a line here. */
export const scenarios: readonly Scenario[] = [
  latency,
  idle,
  connect,
  jitter,
  throughput,
  whisper,
  echo,
  avalanche,
  deploy,
  steps,
  soakAndBurst,
  slowReaders,
  game,
  flow,
].map((each) => withBounds(withLogins(each as unknown as Scenario)));

/** Gives a bound, and a latency from the schedule, as many samples as the metric to which it belongs. */
function withBounds(scenario: Scenario): Scenario {
  const independentAtMost: Scenario['independentAtMost'] = (options) => {
    const most = scenario.independentAtMost(options);
    const further = Object.entries(scenario.metrics).flatMap(([name, { atLeast = name, fromIntended }]) => {
      const [of, from] = [most[name], most[fromIntended?.sent ?? name]];
      return [...(of === undefined ? [] : [[atLeast, of]]), ...(from === undefined ? [] : [[name, from]])];
    });
    return { ...Object.fromEntries(further), ...most };
  };
  return { ...scenario, independentAtMost };
}

export function scenarioByName(name: string): Scenario | undefined {
  return scenarios.find((scenario) => scenario.name === name);
}
