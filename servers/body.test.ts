import { expect, it } from 'vitest';
import { Body, maxBodyBytes } from './broadcast.js';

it('joins chunks that cut a character in two', () => {
  const bytes = Buffer.from('kajak 🛶');
  const body = new Body();
  body.push(bytes.subarray(0, 7));
  body.push(bytes.subarray(7));
  expect(body.text()).toBe('kajak 🛶');
});

it('is empty text when nothing came', () => {
  expect(new Body().text()).toBe('');
});

it('holds exactly the limit, and nothing once a byte more came, whatever follows', () => {
  const body = new Body();
  body.push(Buffer.alloc(maxBodyBytes, 'a'));
  expect(body.text()).toHaveLength(maxBodyBytes);
  body.push(Buffer.from('b'));
  expect(body.text()).toBeUndefined();
  body.push(Buffer.from('c'));
  expect(body.text()).toBeUndefined();
});
