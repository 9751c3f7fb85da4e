import { X509Certificate } from 'node:crypto';

/** Why a text is not a certificate in PEM; undefined if it is one. */
export function pemFault(text: string): string | undefined {
  try {
    new X509Certificate(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
