import { type CrowdSize, crowdFigure, crowdGate } from '../../scenarios/crowd-gates.js';
import { outsideText } from '../../units/text.js';
import type { Me } from '../api.js';
import { cleanName } from '../names.js';
import { msOf } from './time.js';
import type { Wait, Waits } from './waits.js';

/** Gates of a run, each with each of its sizes. */
const mostGates = 20;

type TogetherOptions = NonNullable<Parameters<Me['together']>[1]>;

/** The places where a worker's clients wait for those of the whole run. A gate stays open. */
export class Gates {
  readonly #open = new Set<string>();
  /** Waiting clients by the name of their figure. */
  readonly #waiting = new Map<string, Set<Wait<void>>>();

  /** Resolves when the gate opens. Rejects with `Left` after `within`. */
  async come(name: string, { of, within }: TogetherOptions, waits: Waits): Promise<void> {
    const gate = cleanName(name).replaceAll(/[: ]/g, '-');
    const withinMs = within === undefined ? undefined : msOf(within, 'me.together: within');
    const waiting = this.#crowdOf(crowdFigure(gate, sizeOf(of)));
    if (this.#open.has(gate)) return;
    await waits.wait<void>(
      (wait) => {
        waiting.add(wait);
        return () => waiting.delete(wait);
      },
      withinMs === undefined ? undefined : { withinMs, cause: `within: together ${gate}` },
    );
  }

  #crowdOf(figure: string): Set<Wait<void>> {
    const known = this.#waiting.get(figure);
    if (known) return known;
    if (this.#waiting.size >= mostGates) {
      const most = `me.together: expected at most ${mostGates} names and sizes in a run, received one more, ${figure}`;
      throw new RangeError(`${most}: the clients of one room can wait for a message of the server`);
    }
    const waiting = new Set<Wait<void>>();
    this.#waiting.set(figure, waiting);
    return waiting;
  }

  /** Lets all clients through a gate, by its whole name. */
  opened(gate: string): void {
    this.#open.add(gate.slice(crowdGate.length));
    for (const [figure, waiting] of this.#waiting) {
      if (!figure.startsWith(`${gate}:`)) continue;
      for (const wait of waiting) wait.done();
    }
  }

  /** Returns live figures of the gates, which add up over workers and shards. */
  figures(): Record<string, number> {
    return Object.fromEntries([...this.#waiting].map(([figure, { size }]) => [figure, size]));
  }
}

function sizeOf(of: TogetherOptions['of']): CrowdSize {
  if (of === undefined) return { share: 1 };
  const percent = typeof of === 'string' ? Number(/^(\d+(?:\.\d+)?)%$/.exec(of)?.[1]) : undefined;
  if (percent !== undefined && percent > 0 && percent <= 100) return { share: percent / 100 };
  if (typeof of === 'number' && Number.isSafeInteger(of) && of > 0) return { clients: of };
  const expected = 'me.together: of: expected a number of clients or a share such as 50%';
  throw new RangeError(`${expected}, received ${outsideText(String(of), 60)}`);
}
