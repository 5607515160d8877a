import { isJsonObject } from '../../lib/json/json.ts'
import { splitFrontMatter } from '../../markdown/front-matter.ts'
import type { BundleSource, RawPage } from './bundle-source.ts'

/** An upload whose pages get the values of their front matter as metadata, unless they bring metadata of their own. */
export function withFrontMatter(source: BundleSource): BundleSource {
  return {
    ...source,
    async *pages() {
      for await (const page of source.pages()) yield withMetadata(page)
    },
  }
}

function withMetadata(page: RawPage): RawPage {
  const { value } = page
  if (!isJsonObject(value) || typeof value.body !== 'string' || value.metadata !== undefined) return page
  const values = Object.entries(splitFrontMatter(value.body).data).filter(([, each]) => each !== null)
  if (values.length === 0) return page
  return { ...page, value: { ...value, metadata: Object.fromEntries(values) }, keepsOtherMetadata: true }
}
