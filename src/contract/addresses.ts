import { z } from 'zod';

/** Where clients connect to. */
export const webSocketUrl = z.url({ protocol: /^wss?$/, error: 'expected a ws:// or wss:// address' });

/** Where something is asked or told over HTTP. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// address' });
