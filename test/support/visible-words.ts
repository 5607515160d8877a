import { analysePage } from '@recto/markdown/analyse.ts'
import { renderPage } from '@recto/markdown/page.ts'
import { decodeHTML } from 'entities'
import { indexedText } from '../../packages/server/src/content/search/index-text.ts'
import { foldWord, splitParts, splitWords } from '../../packages/server/src/content/search/words.ts'
import { vectorText } from './vector-text.ts'

const INLINE =
  /<\/?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr)(?: [^>]*)?>/g

/** The text nodes of a rendered page: an inline element does not end a word, all others do. Numbers of footnotes are links. */
export function visibleText(body: string): string {
  const html = renderPage(body)
    .html.replace(/<a [^>]*class="footnote-backref".*?<\/a>/g, '')
    .replace(/<sup class="footnote-ref">.*?<\/sup>/g, ' $& ')
  return decodeHTML(html.replace(INLINE, '').replace(/<[^>]*>/g, ' '))
}

/** The words that a reader of a page sees and a search does not find. */
export async function missingWords(body: string): Promise<string[]> {
  const { all } = await indexedText({ path: 'x', title: 'x', facts: analysePage(body), language: 'en' })
  const indexedWords = new Set(vectorText(all).match(/(?<=')[^']+(?=':)/g))
  const text = visibleText(body)
  const words = splitWords(text).filter(({ word, start, end }) => {
    const parts = splitParts(text.slice(start, end)).map(foldWord)
    return !indexedWords.has(word) && (parts.length === 0 || !parts.every((part) => indexedWords.has(part)))
  })
  return [...new Set(words.map(({ word }) => word))]
}
