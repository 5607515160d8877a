import { AppError } from '@recto/contract/errors.ts'
import { isJsonObject, pointerTo } from '@recto/lib/json/json.ts'
import { isFrontMatterMalformed, splitFrontMatter } from '@recto/markdown/front-matter.ts'
import { checkInitial } from '../../metadata/metadata.ts'
import { parseInitial } from '../../metadata/parse-patch.ts'
import type { BundleSource, RawPage } from './bundle-source.ts'

const MAX_SHOWN_KEY = 60

type CheckDeps = Parameters<typeof checkInitial>[0]

/**
 * An upload whose pages get the values of their front matter as metadata, unless they bring metadata of their own.
 * Front matter that metadata cannot hold stays text, and the page has the reason.
 */
export function withFrontMatter(ctx: CheckDeps, source: BundleSource): BundleSource {
  return {
    ...source,
    async *pages() {
      for await (const page of source.pages()) yield withMetadata(ctx, page)
    },
  }
}

function withMetadata(ctx: CheckDeps, page: RawPage): RawPage {
  const { value } = page
  if (!isJsonObject(value) || typeof value.body !== 'string' || value.metadata !== undefined) return page
  const values = Object.entries(splitFrontMatter(value.body).data).filter(([, each]) => each !== null)
  if (values.length === 0) {
    const isMalformed = isFrontMatterMalformed(value.body)
    return isMalformed ? { ...page, frontMatterProblem: 'is not valid YAML with a value for each key' } : page
  }
  const metadata = Object.fromEntries(values)
  const frontMatterProblem = findProblem(ctx, metadata)
  if (frontMatterProblem !== undefined) return { ...page, frontMatterProblem }
  return { ...page, value: { ...value, metadata }, keepsOtherMetadata: true }
}

/** Why values cannot become metadata. */
function findProblem(ctx: CheckDeps, metadata: Readonly<Record<string, unknown>>): string | undefined {
  try {
    checkInitial(ctx, parseInitial(metadata, ''))
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const [issue] = error.extras.issues ?? []
    const key = Object.keys(metadata).find((each) => issue?.path === pointerTo('', each))
    return key === undefined ? (issue?.message ?? error.message) : `\`${shortened(key)}\` ${issue?.message}`
  }
}

function shortened(key: string): string {
  return key.length > MAX_SHOWN_KEY ? `${key.slice(0, MAX_SHOWN_KEY - 1)}…` : key
}
