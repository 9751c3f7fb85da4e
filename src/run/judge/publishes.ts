import { toldCauses } from '../../measure/causes.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import { sumCounts } from '../../measure/samples/sums.js';
import { causesInWords, count, kindOfCause } from '../../units/words.js';
import type { Collected } from '../shards/collect.js';

type Causes = Record<string, number>;

/** The publishes of the ledger in words, with the causes for which some were not acked; those of the warm-up stand outside the ledger and are told apart. */
export function notAcked(ledger: LedgerEntries, { causes }: Pick<Collected, 'causes'>): string[] {
  const { attempted = 0, acked = 0, refused = 0, failed = 0 } = ledger as Record<string, number>;
  const warmUp = causes.warmUp ?? {};
  const sum = `${count(attempted)} publishes = ${count(acked)} acked + ${count(refused)} refused + ${count(failed)} failed`;
  return [
    ...(attempted > 0 ? [withCauses(sum, causes.publish ?? {})] : []),
    ...(Object.keys(warmUp).length > 0
      ? [`not acked in the warm-up: ${causesInWords(toldCauses('warmUp', warmUp))}`]
      : []),
  ];
}

function withCauses(sum: string, causes: Causes): string {
  const words = causesInWords(toldCauses('publish', causes));
  return words === '' ? sum : `${sum} (${words})`;
}

/** Why the target took none, warm-up included, without what the end of the run left unanswered. */
export function causesOfTarget({ causes }: Pick<Collected, 'causes'>): Causes {
  const { ours: _ours, ...ofTarget } = sumCounts([causes.publish ?? {}, causes.warmUp ?? {}]);
  return ofTarget;
}

/** How a run ended whose target took no publish: `publishRefused` where it answered one with a no, `publishFailed` where it answered none. */
export function untakenCode(collected: Pick<Collected, 'causes'>): 'publishRefused' | 'publishFailed' {
  const kinds = Object.keys(causesOfTarget(collected)).map(kindOfCause);
  return kinds.includes('http-status') ? 'publishRefused' : 'publishFailed';
}
