import type { Trust } from '../../access/verification.ts'

const TEXTS = {
  current: 'verified',
  changed: 'changed since it was verified',
  expired: 'its verification has expired',
} as const

/** What agents are told of how far people stand behind a page; nothing if a person wrote it, and nobody verified it. */
export function trustText({ lastEditBy, verification }: Trust): string {
  if (verification) return ` (${TEXTS[verification]})`
  return lastEditBy === 'person' ? '' : ` (last edit by an ${lastEditBy}, not verified)`
}
