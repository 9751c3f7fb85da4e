import { count } from '../units/words.js';
import { dataSentAgain, type TcpCounts } from './tcp.js';

/** What TCP lost, in words with figures; empty where it lost nothing. */
export function lossesInWords(counts: TcpCounts): string {
  const of = (part: number, what: string): string[] => (part > 0 ? [`${count(part)} ${what}`] : []);
  const again = dataSentAgain(counts);
  const { dataSent, outOfOrder, received, duplicatesOld, duplicatesOutOfOrder, openingsSentAgain, timeouts } = counts;
  return [
    ...of(again, `of ${count(dataSent)} data segments sent again`),
    ...of(timeouts, 'timeouts'),
    ...of(outOfOrder, `of ${count(received)} segments received out of order`),
    ...of(duplicatesOld + duplicatesOutOfOrder, 'received twice'),
    ...of(openingsSentAgain, 'openings sent again'),
    ...of(counts.windowsClosed, 'times a receiver here had no room left'),
  ].join(', ');
}
