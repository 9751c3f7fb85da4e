import { describe, expect, it } from 'vitest';
import { allSent } from '../../../test/stage/ahead.js';
import { clients, gameOnStage, playMs, startMs } from '../../../test/stage/game.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { sendFate } from '../../protocols/protocol.js';

/** From the start on, five keys a second and one ping, of each player. */
const [keys, pings] = [clients * ((playMs - startMs) / 200), clients * ((playMs - startMs) / 1000)];

describe('keys and pings that clients take ahead', () => {
  it('leave at their instants, each once, to the end', async () => {
    const { played, sends } = gameOnStage({ ahead: allSent });
    const { ledger, report } = await played();
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({ typed: keys, pings, lost: 0, unsent: 0, pingsUnsent: 0, unanswered: 0 });
    expect(sends).toHaveLength(keys + pings);
    expect(valuesOf(report.samples.publishLag)).toEqual(Array(keys).fill(0));
    expect(new Set(valuesOf(report.samples.delivery))).toEqual(new Set([7000]));
    expect(new Set(valuesOf(report.samples.deliveryFromIntended))).toEqual(new Set([7000]));
    expect(new Set(valuesOf(report.samples.ping))).toEqual(new Set([7000]));
  });

  it.each([
    ['gone', sendFate.gone],
    ['unread', sendFate.unread],
  ])('follow a key that does not leave by the same one: %s', async (cause, fate) => {
    const tried = new Map<number, number>();
    /** Of client 3, every third send does not leave. */
    const ahead = (client: number): number => {
      tried.set(client, (tried.get(client) ?? 0) + 1);
      return client === 3 && (tried.get(client) as number) % 3 === 0 ? fate : sendFate.sent;
    };
    const { played, sends } = gameOnStage({ ahead });
    const { ledger } = await played();
    const { unsent = 0, pingsUnsent = 0 } = ledger.entries as Record<string, number>;
    expect(ledger.breaks).toEqual([]);
    expect(unsent).toBeGreaterThan(0);
    expect(ledger.entries).toMatchObject({ typed: keys - unsent, pings: pings - pingsUnsent, lost: 0, unanswered: 0 });
    expect(ledger.entries.unsentByCause).toEqual({ [cause]: unsent });
    expect(unsent + pingsUnsent).toBe(Math.floor((tried.get(3) as number) / 3));
    const typed = sends.flatMap(([client, , key]) => (client === 3 && key !== 'ping' ? [key] : []));
    expect(typed).toEqual(typed.map((_, number) => number));
  });

  it('of a player that is cut are unsent, and of nobody else', async () => {
    let isCut = false;
    const ahead = (client: number): number => (isCut && client === 4 ? sendFate.gone : sendFate.sent);
    const { played, at, told } = gameOnStage({ ahead });
    at(3001, () => {
      isCut = true;
      told().closed(4, 'reset', true);
    });
    const { ledger } = await played();
    const unsentKeys = Number(ledger.entries.unsent);
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({ playersCut: 1, lost: 0, unanswered: 0 });
    // The one key that was handed over; no ping is due so soon.
    expect([unsentKeys, ledger.entries.pingsUnsent]).toEqual([1, 0]);
    expect(ledger.entries.unsentByCause).toEqual({ gone: 1 });
  });

  it('are counted to the last when the run is ended early, if they left', async () => {
    const { played, at, abort, sends, sinceStartMs } = gameOnStage({ ahead: allSent });
    at(4101, () => abort.abort());
    const { ledger, report } = await played();
    expect(ledger.breaks).toEqual([]);
    const typed = sends.filter(([, , key]) => key !== 'ping').length;
    expect(typed).toBeLessThan(keys);
    expect([report.counts.attempted, report.counts.pings]).toEqual([typed, sends.length - typed]);
    expect(sends.some(([, , , atMs]) => atMs > 4101)).toBe(true);
    expect(sinceStartMs()).toBeLessThan(4101 + 300);
  });

  it('stay with the event loop where clients take nothing ahead', async () => {
    const { played, sends } = gameOnStage();
    const { ledger } = await played();
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({ unsent: 0, pingsUnsent: 0, lost: 0 });
    expect(sends).toHaveLength(Number(ledger.entries.typed) + Number(ledger.entries.pings));
  });
});
