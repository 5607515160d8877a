import { sourceDiff } from '@recto/markdown/diff/source-diff.ts'
import { unifiedDiff } from '@recto/markdown/diff/unified-diff.ts'
import type { Difference } from '../folder-sync/differences.ts'

/** A difference in the unified format: of the Markdown, and of the metadata. */
export function formatParts({ name, on, texts, metadata }: Difference): string[] {
  const sides = (suffix = '') =>
    [
      on === 'folder' ? '/dev/null' : `space/${name}${suffix}`,
      on === 'space' ? '/dev/null' : `folder/${name}${suffix}`,
    ] as const
  const parts: string[] = []
  if (texts) parts.push(unifiedDiff(sourceDiff(texts.space, texts.folder), sides()))
  if (metadata) parts.push(unifiedDiff(sourceDiff(metadata.space, metadata.folder), sides(' (metadata)')))
  if (parts.length > 0) return parts
  return [on === 'both' ? `The bytes of ${name} differ.` : `Only in the ${on}: ${name}`]
}
