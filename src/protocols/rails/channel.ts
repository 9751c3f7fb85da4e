import { z } from 'zod';
import type { Channel } from '../anycable/cable.js';

export const railsOptions = z.strictObject({
  railsChannel: z
    .string()
    .regex(/^[A-Z]\w*(::[A-Z]\w*)*$/, 'expected a class of Ruby, such as ChatChannel')
    .optional()
    .meta({
      flag: 'rails-channel',
      placeholder: 'class',
      help: 'channel class of the Rails server; by default BenchmarkChannel',
    }),
  railsParameter: z
    .string()
    .regex(/^[a-z_]\w*$/, 'expected a name of Ruby, such as room')
    .optional()
    .meta({
      flag: 'rails-parameter',
      placeholder: 'name',
      help: 'parameter of that channel that names the stream; by default stream_name',
    }),
});

/** The stream of clients that only want echoes. */
export const echoStream = 'echo';

/** A channel of a Rails application: its class, and the stream as a parameter. */
export interface RailsChannel extends Channel {
  className: string;
  paramsOf(stream: string): Record<string, string>;
}

/** Returns the channel of checked values of `railsOptions`. Default: that of websocket-shootout and its successors. */
export function railsChannel(options: Readonly<Record<string, unknown>>): RailsChannel {
  const { railsChannel: className = 'BenchmarkChannel', railsParameter = 'stream_name' } = options as z.output<
    typeof railsOptions
  >;
  const paramsOf = (stream: string) => ({ [railsParameter]: stream });
  return {
    className,
    paramsOf,
    identifierOf: (stream) => JSON.stringify({ channel: className, ...paramsOf(stream) }),
    nameOf: (stream) => stream,
  };
}
