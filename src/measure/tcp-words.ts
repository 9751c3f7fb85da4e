import { count } from '../units/words.js';
import { segmentsLost, type TcpCounts } from './tcp.js';

/** What TCP lost, in words with figures, and what shows how; empty where it lost nothing. */
export function lossesInWords(counts: TcpCounts): string {
  const of = (part: number, what: string): string[] => (part > 0 ? [`${count(part)} ${what}`] : []);
  const { dataSent, outOfOrder, received, openingsSentAgain, sentTwice, timeouts, windowsClosed } = counts;
  const losses = [
    ...of(segmentsLost(counts), `of ${count(dataSent)} data segments lost and sent again`),
    ...of(outOfOrder, `of ${count(received)} segments received out of order`),
    ...of(openingsSentAgain, 'openings of connections sent again'),
  ];
  const beside = [
    ...of(sentTwice, 'sent twice for nothing'),
    ...of(timeouts, 'timers ran out'),
    ...of(windowsClosed, 'times a receiver had no room left'),
  ];
  return losses.length > 0 ? [...losses, ...beside].join(', ') : '';
}
