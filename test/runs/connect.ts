import { workplace } from '../workplace.js';

export const place = workplace();

export const parts = ['handshake', 'tcp', 'connect', 'subscribe'] as const;

export const connect = (flags: string[], shards = 1) => place.measure(['run', 'connect', ...flags], shards);

export const made = (n: number) => ({ asked: n, started: n, opened: n, failed: 0, lost: 0 });
