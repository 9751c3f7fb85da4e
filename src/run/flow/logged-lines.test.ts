import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LoggedLines } from './logged-lines.js';

/** What is noted of one shard's log, as its looks show it. */
function noted(looks: readonly (readonly string[])[]): string[] {
  const lines: string[] = [];
  const logged = new LoggedLines((line) => lines.push(line));
  const member = { status: { log: [] as string[] } };
  for (const log of looks) {
    member.status = { log: [...log] };
    logged.look([member]);
  }
  return lines;
}

it('notes lines of clients once, and none of the shard itself', () => {
  const [a, b] = ['client 0: a', 'client 7: b'];
  expect(noted([[], [a], [a], [a, 'asked to finish', b], [b]])).toEqual([a, b]);
});

it('notes all lines in order, though a shard shows only its last ones', () => {
  const most = 5;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: most }), { maxLength: 20 }), (news) => {
      const all: string[] = [];
      const looks = news.map((count) => {
        for (let n = 0; n < count; n++) all.push(`client 0: line ${all.length}`);
        return all.slice(-most);
      });
      expect(noted(looks)).toEqual(all);
    }),
  );
});
