import { WireEngine } from './engine.js';
import { clientsPerTable } from './native/layout.js';
import { NativeEngine } from './native/native-engine.js';
import type { Engine, EngineStats, WireSetup, WireSink } from './wire.js';

export type EngineName = 'native' | 'js';

/** The engine for a set of clients. `why`: what keeps `auto` from the native one. */
export type EngineChoice = { name: 'native'; addon: unknown } | { name: 'js'; why?: string };

/** What an engine did for its clients, who got `handedOver` deliveries and acknowledgements. */
export interface EngineWork extends EngineStats {
  name: EngineName;
  why?: string;
  handedOver: number;
}

/** What `auto` takes for `ws://` here, or why this is not the native engine. */
export async function engineHere(): Promise<EngineChoice> {
  // An optional dependency: an installation may lack it.
  const native = await import('ringside-native').catch(() => undefined);
  if (native === undefined) return { name: 'js', why: 'the package ringside-native is not installed' };
  const { addon, lack } = native.loadAddon();
  return lack === undefined ? { name: 'native', addon } : { name: 'js', why: lack };
}

/** What this process tells others of that. */
export async function describeEngine(): Promise<{ name: EngineName; why?: string; clientsPerTable?: number }> {
  const choice = await engineHere();
  return choice.name === 'js' ? choice : { name: choice.name, clientsPerTable };
}

/** The engine for clients of one address. Throws where the native one is asked for, and is not to be had. */
export async function chooseEngine(asked: EngineName | 'auto', isTls: boolean): Promise<EngineChoice> {
  if (asked === 'js') return { name: 'js' };
  const choice: EngineChoice = isTls ? { name: 'js', why: 'wss:// runs on the JavaScript engine' } : await engineHere();
  if (asked === 'native' && choice.name === 'js') throw new Error(`no native engine: ${choice.why}`);
  return choice;
}

/** Throws for a wrong address, header, scan rule or certificate. */
export function createEngine(choice: EngineChoice, setup: WireSetup, sink: WireSink): Engine {
  return choice.name === 'native' ? new NativeEngine(choice.addon, setup, sink) : new WireEngine(setup, sink);
}
