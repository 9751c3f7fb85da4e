import type { EngineOffer } from '../contract/engine.js';
import { engineHere } from '../wire/choice.js';

/** What this process offers to jobs that let it choose. */
export async function engineOffer(): Promise<EngineOffer> {
  const choice = await engineHere();
  return choice.name === 'js' ? choice : { name: choice.name };
}
