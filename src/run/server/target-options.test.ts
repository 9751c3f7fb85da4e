import { expect, it } from 'vitest';
import { named } from '../../../test/refusal.js';
import type { Problem } from '../../contract/problems.js';
import { targetByName } from '../../targets/list.js';
import type { PlannedTarget } from './planned.js';
import { giveRuntime } from './target-options.js';

function planned(...names: string[]): PlannedTarget[] {
  return names.map((name) => {
    const target = targetByName(name)!;
    return { isOurs: true, name, protocol: target.protocol, target, options: {} };
  });
}

const commandOf = (each: PlannedTarget | undefined) =>
  each?.isOurs ? each.target.start({ host: '127.0.0.1', port: 0 }).command : '';

it('runs the targets that are made for Node on the runtime, and leaves the others alone', () => {
  const problems: Problem[] = [];
  const given = planned('ws', 'anycable', 'socketio-bun', 'socketio-uws');
  const before = given.map(commandOf);
  giveRuntime(given, 'node24', problems);
  expect(problems).toEqual([]);
  expect(given.map((each, index) => commandOf(each) !== before[index])).toEqual([true, false, false, true]);
  expect(commandOf(given[0])).toContain('node24');
  expect(given.map((each) => each.isOurs && each.target.name)).toEqual(given.map(({ name }) => name));
});

it('changes nothing where no runtime is asked for', () => {
  const given = planned('ws');
  giveRuntime(given, undefined, []);
  expect(commandOf(given[0])).toBe(process.execPath);
});

it('is refused where no target runs on Node', () => {
  const problems: Problem[] = [];
  giveRuntime(planned('anycable', 'bun'), 'node24', problems);
  expect(problems).toEqual([named('badOption', '--target-runtime', 'anycable', 'bun')]);
});

it('needs what the runtime needs', () => {
  const given = planned('ws');
  giveRuntime(given, 'node24', []);
  const [first] = given;
  expect(first?.isOurs && first.target.needs?.map(({ name }) => name)).toEqual(['node24']);
});
