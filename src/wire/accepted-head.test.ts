import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AcceptedHead, acceptFor, readUpgradeAnswer } from './upgrade.js';

const [first, second] = [acceptFor('dGhlIHNhbXBsZSBub25jZQ=='), acceptFor('x3JJHMbDL1EzLkh9GBhXDw==')] as const;
const behind = Buffer.from('8105');

const headOf = (accept: string, more = '') =>
  Buffer.from(
    `HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\nConnection: upgrade\r\n${more}\r\n`,
  );

/** One read of the shared buffer: the head, what came behind it, and the leavings of other reads. */
const lengthIn = (accepted: AcceptedHead, head: Buffer, accept: string) =>
  accepted.lengthIn(Buffer.concat([head, behind, head]), head.length + behind.length, accept);

function remembering(head: Buffer, accept = first, subprotocol = ''): AcceptedHead {
  const accepted = new AcceptedHead();
  accepted.remember(head, accept, subprotocol);
  return accepted;
}

it('knows no head at first', () => {
  expect(lengthIn(new AcceptedHead(), headOf(first), first)).toBe(0);
});

it('knows the head again with every other key, and what was chosen in it', () => {
  const accepted = remembering(headOf(first), first, 'chosen');
  for (const accept of [second, first, second]) {
    expect(lengthIn(accepted, headOf(accept), accept)).toBe(headOf(accept).length);
  }
  expect(accepted.subprotocol).toBe('chosen');
});

it('knows it anywhere in a buffer, by its own judgement', () => {
  const accepted = new AcceptedHead();
  const [known, next] = [headOf(first), headOf(second)];
  expect(accepted.judge(headOf(second), first, [])).toEqual({ isAccepted: false, cause: 'bad-upgrade:accept key' });
  expect(accepted.lengthIn(known, known.length, first)).toBe(0);
  expect(accepted.judge(known, first, [])).toEqual({ isAccepted: true, subprotocol: '' });
  const bytes = Buffer.concat([behind, next, behind]);
  const end = behind.length + next.length;
  expect(accepted.lengthIn(bytes, end, second, behind.length)).toBe(next.length);
  expect(accepted.lengthIn(bytes, end - 1, second, behind.length)).toBe(0);
});

it('keeps a copy, for the read buffer is soon another', () => {
  const head = headOf(first);
  const accepted = remembering(head);
  head.fill(0);
  expect(lengthIn(accepted, headOf(second), second)).toBeGreaterThan(0);
});

it.each([
  ['the answer to another key', headOf(first)],
  ['another header', headOf(second, 'X: y\r\n')],
  ['a header the less', headOf(second).subarray(0, -13)],
  ['another status', Buffer.from(headOf(second).toString().replace('101', '200'))],
])('does not know %s', (_what, head) => {
  expect(lengthIn(remembering(headOf(first)), head, second)).toBe(0);
});

it('does not know a head that has not come whole, though the buffer holds the rest of an old one', () => {
  const head = headOf(second);
  expect(remembering(headOf(first)).lengthIn(head, head.length - 1, second)).toBe(0);
});

it('keeps no head that names the key twice', () => {
  const accepted = remembering(headOf(first));
  accepted.remember(headOf(second, `X: ${second}\r\n`), second, '');
  expect(lengthIn(accepted, headOf(first, `X: ${first}\r\n`), first)).toBe(0);
  expect(lengthIn(accepted, headOf(first), first)).toBe(0);
});

it('knows nothing that the whole judgement would refuse', () => {
  const line = fc.constantFrom(
    'Server: a',
    'Date: b',
    'Sec-WebSocket-Protocol: p',
    'X:',
    'Sec-WebSocket-Accept: z',
    'z',
  );
  const lines = fc.array(line, { maxLength: 3 }).map((all) => all.map((one) => `${one}\r\n`).join(''));
  const change = fc.record({ at: fc.nat(400), byte: fc.integer({ min: 0, max: 255 }) });
  const wholeHead = (head: Buffer) => head.toString('latin1', 0, head.indexOf('\r\n\r\n'));
  fc.assert(
    fc.property(lines, fc.option(lines), fc.option(change), (more, others, changed) => {
      const accepted = new AcceptedHead();
      const known = headOf(first, more);
      const answer = readUpgradeAnswer(wholeHead(known), first, ['p']);
      if (answer.isAccepted) accepted.remember(known, first, answer.subprotocol);
      const head = headOf(second, others ?? more);
      if (changed && changed.at < head.length) head[changed.at] = changed.byte;
      const isKnown = accepted.lengthIn(head, head.length, second) > 0;
      if (!isKnown) return;
      expect(readUpgradeAnswer(wholeHead(head), second, ['p'])).toEqual({
        isAccepted: true,
        subprotocol: accepted.subprotocol,
      });
    }),
  );
});
