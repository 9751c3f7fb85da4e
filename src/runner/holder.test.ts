import { expect, it } from 'vitest';
import { refusalOf } from '../../test/refusals.js';
import { Holder } from './holder.js';

const lease = 600_000;
const heldBy = (name: string) => new Holder(name, lease, () => false);

it('the driver is the one that asked for it: others are refused, and who gives no name is heard', () => {
  const holder = heldBy('one/7');
  holder.hears('one/7');
  holder.hears(undefined);
  expect(refusalOf(() => holder.hears('other/11'))).toEqual(['runTaken']);
  expect(refusalOf(() => holder.take('other/11'))).toEqual(['runHeld']);
  expect(holder.state.driver).toMatchObject({ name: 'one/7', isGone: false });
  expect(holder.isAwaited).toBe(true);
});

it('the driver can be replaced once it has left, by one that then can not', () => {
  const holder = heldBy('one/7');
  holder.leave({ seen: 13 });
  expect([holder.isGone, holder.isAwaited]).toEqual([true, false]);
  holder.take('other/11');
  expect(refusalOf(() => holder.take('third/13'))).toEqual(['runHeld']);
  expect(refusalOf(() => holder.hears('one/7'))).toEqual(['runTaken']);
  expect(holder.state).toMatchObject({ driver: { name: 'other/11', isGone: false }, left: { seen: 13 } });
});

it('the driver can take its job again', () => {
  const holder = heldBy('one/7');
  holder.take('one/7');
  expect(holder.state.driver.name).toBe('one/7');
});
