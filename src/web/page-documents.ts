import { createHash } from 'node:crypto'
import type { PageDocuments } from '../pages/representations.ts'
export function createPageDocuments(): PageDocuments {
  return {
    async documentOf(revision) {
      const { html } = await revision.content.rendered()
      const bytes = Buffer.from(html)
      return { bytes, digest: createHash('sha256').update(bytes).digest('base64url').slice(0, 16) }
    },
  }
}
