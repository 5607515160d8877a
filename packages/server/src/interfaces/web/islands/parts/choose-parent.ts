import { foldText } from '@recto/lib/text/fuzzy.ts'
import { openPalette } from './palette.ts'
import type { Item } from './palette-items.ts'
import { load } from './palette-load.ts'
import { t } from './t.ts'
import { lastSegment, parentFolder } from './tree-place.ts'

interface TitledPage {
  readonly path: string
  readonly title: string
  readonly icon?: string
}

/** Asks below which page or folder the page of a link goes, and opens the form that moves it there. */
export function chooseParent({ href }: HTMLAnchorElement): void {
  const [space = '', ...segments] = new URL(href).pathname.split('/').slice(2).map(decodeURIComponent)
  const path = segments.join('/')
  const topLevel = t('Top level')
  const toItem = (parent: string, name: string, place: string, icon?: string): Item => {
    const to = parent === '' ? lastSegment(path) : `${parent}/${lastSegment(path)}`
    return { name, icon, place, open: `${href}?${new URLSearchParams({ to })}` }
  }
  const find = async (words: string) => {
    const query = new URLSearchParams({ q: words, space, limit: '20' })
    const { items } = await load<{ items: readonly TitledPage[] }>(`/titles?${query}`)
    const matches = (name: string) => foldText(name).includes(foldText(words))
    const isOffered = (folder: string) => folder !== '' && matches(lastSegment(folder))
    const folders = items.map((page) => parentFolder(page.path)).filter(isOffered)
    const parents = new Map([
      ...(matches(topLevel) ? [['', toItem('', topLevel, '')] as const] : []),
      ...folders.map(
        (folder) => [folder, toItem(folder, lastSegment(folder), t('Folder {folder}', { folder }))] as const,
      ),
      ...items.map(({ path: page, title, icon }) => [page, toItem(page, title, page, icon)] as const),
    ])
    const isElsewhere = (parent: string) => parent !== parentFolder(path) && !`${parent}/`.startsWith(`${path}/`)
    return [...parents].flatMap(([parent, item]) => (isElsewhere(parent) ? [item] : []))
  }
  openPalette({ name: t('Move {name} below which page?', { name: lastSegment(path) }), find })
}
