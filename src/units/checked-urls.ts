import { z } from 'zod';

export const webSocketUrl = z.url({ protocol: /^wss?$/, error: 'expected a ws:// or wss:// address' });
export const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// address' });
