import type { Db } from '../../platform/database/database.ts'
import { allIds, idsBetween } from './id-ranges.ts'
import { newestMatches } from './newest-matches.ts'
import type { SearchQuery } from './query.ts'
import type { SearchedPages } from './store-templates.ts'
import { countTexts } from './store-words.ts'
import { optionalTerms, termText } from './tsquery.ts'

/** The pages by whose words a query is weighed. */
export interface Weighing extends SearchedPages {
  readonly db: Db
  /** All page ids are lower. */
  readonly end: number
  /** Whether the spaces have few pages. */
  readonly small: boolean
}

/** The number of newest pages by which words are weighed. */
const SAMPLE = 1_000
/** With fewer pages in the sample, a word is so rare that its pages are counted. */
const FEW = 4

/**
 * The weight of each optional term (inverse document frequency) among the newest pages that the caller can read, in the
 * spaces that are searched; 0 if no page has it. Rare terms of many pages are counted among all of them. Empty if no
 * term may be missing.
 */
export async function weighTerms(search: Weighing, query: SearchQuery): Promise<readonly number[]> {
  const texts = optionalTerms(query).map((term) => termText(term, 'any') ?? '')
  if (texts.length < 2) return []
  const { db, end } = search
  const matching = { ...search, query: undefined, prefilter: undefined, negative: false, condition: search.condition }
  const sample = await newestMatches({ db, matching, tier: 'rest', end, limit: SAMPLE })
  const isAll = sample.length < SAMPLE
  const range = isAll ? allIds(end) : idsBetween(sample.at(-1)?.page_id ?? 0, end)
  const counts = await countTexts(db, search, texts, { range, limit: SAMPLE })
  const inSample = (text: string) => counts.get(text)?.pages ?? 0
  const rareTexts = isAll ? [] : texts.filter((text) => inSample(text) < FEW)
  const rareCounts = await countTexts(db, search, rareTexts, { limit: SAMPLE })
  const weights = texts.map((text) => {
    const pages = (rareTexts.includes(text) ? rareCounts : counts).get(text)?.pages ?? 0
    if (pages === 0) return 0
    const rarity = Math.log1p((sample.length - inSample(text) + 0.5) / (inSample(text) + 0.5))
    // The number of all pages is not known: a half of the further rarity is a compromise.
    return rareTexts.includes(text) ? rarity + Math.log(SAMPLE / pages) / 2 : rarity
  })
  return weights.some((weight) => weight > 0) ? weights : []
}
