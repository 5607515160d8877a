import { pageUrl } from '@recto/contract/page-url.ts'
import { foldText, fuzzyScore } from '@recto/lib/text/fuzzy.ts'
import { spaceUrl } from '../../urls.ts'
import { load, loadSpaces } from './palette-load.ts'
import { readTyped } from './palette-query.ts'
import { t } from './t.ts'
import { visitedPages } from './visited.ts'

/** What the palette offers: something to open, or to do. */
export interface Item {
  readonly name: string
  /** An emoji. */
  readonly icon?: string | undefined
  /** Its kind, and where it is. */
  readonly place: string
  readonly open: string | (() => void)
}

interface Titled {
  readonly icon?: string
  readonly url: string
  readonly title: string
  readonly space: string
  readonly path: string
}

interface FavouriteItem {
  readonly space: string
  readonly spaceName: string
  readonly spaceIcon?: string
  readonly page: Titled | null
}

interface Ranked {
  readonly item: Item
  readonly score: number
}

const SHOWN = 12
const RECENT_SHOWN = 6
/** Of pages read recently, before others that match as well. */
const RECENT_BONUS = 15
/** What the service found otherwise, such as by words of the path. */
const FOUND_SCORE = 20

/** The links of the screen are the commands: a person sees only those that they may use. */
const COMMANDS = '.top .actions a, .where .tabs a:not(.star a)'

/** Loaded once for a screen. */
interface Known {
  readonly favourites: readonly Item[]
  readonly spaces: readonly Item[]
  readonly latest: readonly Item[]
  readonly slugs: readonly string[]
}

let knownItems: Promise<Known> | undefined
document.addEventListener('recto:favourites', () => {
  knownItems = undefined
})

/** The recently read pages and the commands, without a request. */
export function localItems(typedText: string): Item[] {
  const read = readTyped(typedText, [])
  if (read.kind === 'commands') return commandsFor(read.words)
  if (read.kind !== 'names' || read.space !== undefined) return []
  if (typedText === '') return [...recentItems(), ...commandItems()].slice(0, SHOWN)
  return chooseBest([...rank(recentItems(), typedText, RECENT_BONUS), ...rank(commandItems(), typedText, 0)])
}

/**
 * All that matches: pages, headings, spaces and commands, best match first. Rejects if the service cannot be reached.
 */
export async function findItems(typedText: string): Promise<Item[]> {
  knownItems ??= loadKnown()
  knownItems.catch(() => {
    knownItems = undefined
  })
  const { favourites, spaces, latest, slugs } = await knownItems
  const read = readTyped(typedText, slugs)
  if (read.kind === 'commands') return commandsFor(read.words)
  if (read.kind === 'search') return orNone(searched(typedText))
  if (read.space !== undefined && !read.isGuessed) return orNone(suggested(read.words, read.space))
  if (typedText === '') {
    const first = [...recentItems().slice(0, RECENT_SHOWN), ...favourites]
    return unique([...first, ...latest, ...spaces, ...commandItems()]).slice(0, SHOWN)
  }
  const [{ pages, headings }, inSpace] = await Promise.all([
    suggest(typedText),
    read.space === undefined ? [] : suggested(read.words, read.space),
  ])
  return chooseBest([
    ...inSpace.map((item) => ({ item, score: FOUND_SCORE })),
    ...rank(recentItems(), typedText, RECENT_BONUS),
    ...rank(pages.map(pageItem), typedText, 1, FOUND_SCORE),
    ...rank(favourites, typedText, RECENT_BONUS),
    ...rank(latest, typedText, 0),
    ...rank(spaces, typedText, 0),
    ...rank(headings.map(headingItem), typedText, -5, FOUND_SCORE),
    ...rank(commandItems(), typedText, 0),
  ])
}

interface Suggestions {
  readonly pages: readonly Titled[]
  readonly headings: readonly (Titled & { readonly heading: string })[]
}

function suggest(q: string, space?: string): Promise<Suggestions> {
  const query = new URLSearchParams({ q, limit: '8', ...(space !== undefined && { space }) })
  return load(`/search/suggest?${query}`)
}

/** The pages and headings of one space that match; its latest pages where nothing is typed yet. */
async function suggested(words: string, space: string): Promise<Item[]> {
  if (words === '') {
    const { items } = await load<{ items: Titled[] }>(`/titles?${new URLSearchParams({ space, limit: '12' })}`)
    return items.map(pageItem)
  }
  const { pages, headings } = await suggest(words, space)
  return chooseBest([
    ...rank(pages.map(pageItem), words, 1, FOUND_SCORE),
    ...rank(headings.map(headingItem), words, -5, FOUND_SCORE),
  ])
}

/** What the search finds, which knows all operators. */
async function searched(q: string): Promise<Item[]> {
  const { items } = await load<{ items: Omit<Titled, 'url'>[] }>(`/search?${new URLSearchParams({ q, limit: '8' })}`)
  return items.map((item) => pageItem({ ...item, url: pageUrl(item.space, item.path) }))
}

/** Nothing where the service rejects what is only half typed, such as the name of a space. */
async function orNone(items: Promise<Item[]>): Promise<Item[]> {
  try {
    return await items
  } catch (error) {
    if (error instanceof Error && /^40[04]$/.test(error.message)) return []
    throw error
  }
}

function commandsFor(words: string): Item[] {
  return words === '' ? commandItems() : chooseBest(rank(commandItems(), words, 0))
}

async function loadKnown(): Promise<Known> {
  const [favourites, spaces, latest] = await Promise.all([
    load<{ items: FavouriteItem[] }>('/me/favourites?limit=100'),
    loadSpaces(),
    load<{ items: Titled[] }>('/titles?limit=50'),
  ])
  return {
    favourites: favourites.items.map(({ space, spaceName, spaceIcon, page }) =>
      page ? pageItem(page) : spaceItem(space, spaceName, spaceIcon),
    ),
    spaces: spaces.map(({ slug, name, icon }) => spaceItem(slug, name, icon)),
    latest: latest.items.map(pageItem),
    slugs: ['personal', ...spaces.map(({ slug }) => slug)],
  }
}

function recentItems(): Item[] {
  return visitedPages()
    .filter(({ url }) => url !== location.pathname)
    .map(pageItem)
}

function spaceItem(slug: string, name: string, icon?: string | null): Item {
  return { name, icon: icon ?? undefined, place: t('Space'), open: spaceUrl(slug) }
}

function pageItem({ url, title, icon, space, path }: Titled): Item {
  return { name: title, icon, place: `${space} / ${path}`, open: toPath(url) }
}

function headingItem({ url, heading, title, space }: Titled & { readonly heading: string }): Item {
  return { name: heading, place: t('Heading in {space} / {title}', { space, title }), open: toPath(url) }
}

function commandItems(): Item[] {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(COMMANDS)]
  // The link to the inbox shows a count alone.
  const readName = (link: HTMLElement) => link.ariaLabel ?? link.textContent.trim()
  const names = links.map(readName)
  const items = links
    // The menu of a page has some of the tabs, too.
    .filter((link, at) => names.indexOf(readName(link)) === at && link.ariaCurrent === null)
    .map((link) => ({
      name: readName(link),
      place: t('Command'),
      open: 'move' in link.dataset ? () => link.click() : (link.getAttribute('href') ?? ''),
    }))
  const star = document.querySelector<HTMLButtonElement>('.star button')
  const isPage = document.querySelector('.page.reading') !== null
  return [
    ...items,
    ...(star ? [{ name: star.title, place: t('Command'), open: () => star.click() }] : []),
    ...(isPage ? [{ name: t('Print this page'), place: t('Command'), open: () => print() }] : []),
  ]
}

/** Only a path of this origin is opened. */
function toPath(url: string): string {
  const { pathname, hash } = new URL(url, location.origin)
  return pathname + hash
}

function rank(items: readonly Item[], typedText: string, bonus: number, least = 0): Ranked[] {
  const foldedText = foldText(typedText)
  return items.flatMap((item) => {
    const score = Math.max(
      least,
      fuzzyScore(foldText(item.name), foldedText),
      fuzzyScore(foldText(item.place.replaceAll('/', ' ')), foldedText) * 0.5,
    )
    return score === 0 ? [] : [{ item, score: score + bonus }]
  })
}

function chooseBest(rankedItems: readonly Ranked[]): Item[] {
  // Of names that match as well, the shorter one has less that was not meant.
  const sortedItems = [...rankedItems]
    .sort((a, b) => b.score - a.score || a.item.name.length - b.item.name.length)
    .map(({ item }) => item)
  return unique(sortedItems).slice(0, SHOWN)
}

function unique(items: readonly Item[]): Item[] {
  const seenValues = new Set<unknown>()
  return items.filter(({ name, open }) => {
    const key = typeof open === 'string' && !open.includes('#') ? open : name
    return !seenValues.has(key) && seenValues.add(key)
  })
}
