import { count } from '../units/words.js';
import { segmentsLost, type TcpCounts } from './tcp.js';

/**
 * What TCP lost, and which receivers stood still, in words with figures; empty for nothing. Resets of our own clients
 * are among their causes.
 */
export function tcpInWords(counts: TcpCounts): string {
  const of = (part: number, what: string): string[] => (part > 0 ? [`${count(part)} ${what}`] : []);
  const { dataSent, outOfOrder, received, openingsSentAgain, sentTwice, timeouts } = counts;
  const losses = [
    ...of(segmentsLost(counts), `of ${count(dataSent)} data segments lost and sent again`),
    ...of(outOfOrder, `of ${count(received)} segments received out of order`),
    ...of(openingsSentAgain, 'openings of connections sent again'),
  ];
  const beside = [...of(sentTwice, 'sent twice for nothing'), ...of(timeouts, 'timers ran out')];
  const others = [
    ...of(counts.windowsClosed, 'times a receiver here had no room left'),
    ...of(counts.windowsProbed, 'probes of receivers elsewhere that had no room'),
  ];
  return [...losses, ...(losses.length > 0 ? beside : []), ...others].join(', ');
}
