import type { CompareContext } from '../commands/compare/compare.js';
import { descriptorLimit } from '../runner/shard-self.js';
import type { Keeping } from './keeping.js';
import type { Progress } from './terminal/progress.js';

/** What a command hands to the driver beside its shards: how each run is shown, under its number and `subject`, and whom to tell of what is not kept. */
export function contextOf(
  progress: Progress,
  interrupt: AbortSignal,
  { notKept }: Keeping,
  subject = '',
): Omit<CompareContext, 'shards'> {
  return {
    childDescriptors: descriptorLimit(),
    interrupt,
    notKept,
    progress: (view) => progress.show(view),
    begins: (label, number, of) => progress.begin(`${subject}${number}/${of} ${label}`),
    finished: () => progress.end(),
  };
}
