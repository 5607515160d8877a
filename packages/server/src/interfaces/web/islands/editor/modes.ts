import { lineOfMarker } from '@recto/lib/text/merge.ts'
import { element } from '../parts/dom.ts'
import { inStorage } from '../parts/in-storage.ts'
import { nextTask } from '../parts/next-task.ts'
import { msg, t } from '../parts/t.ts'
import type { Surface, SurfaceOptions } from './surface.ts'

/** The modes of the editor. */
export const MODES = [
  { name: msg('Page'), title: msg('Write the page as it will be read') },
  { name: msg('Source'), title: msg('Write the Markdown of the page') },
] as const
const MODE_KEY = 'recto.editor-mode'
/** A longer page is opened as its source: the browser would take seconds to lay it out. */
const MAX_PAGE_TEXT = 200_000
const MAX_FRAME_MS = 500

/** The mode that was used last; or the source, and why. */
export function chooseMode(text: string): { readonly name: string; readonly reason: string } {
  if (text.length > MAX_PAGE_TEXT)
    return { name: 'Source', reason: t('A page as long as this one opens as its source.') }
  const isConflict = lineOfMarker(text, '') !== undefined
  return { name: (isConflict ? 'Source' : inStorage(() => localStorage.getItem(MODE_KEY))) ?? 'Page', reason: '' }
}

export function rememberMode(name: string): void {
  inStorage(() => localStorage.setItem(MODE_KEY, name))
}

/** The style sheets of the screen have the network first; a tab in the background draws nothing. */
function firstFrame(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, MAX_FRAME_MS)
  })
}

/** Each mode is a script of its own. That of the page starts in tasks of its own, each of which takes a phone 50 ms. */
export async function openMode(name: string, options: SurfaceOptions, form: HTMLFormElement): Promise<Surface> {
  const panes = form.querySelector<HTMLElement>('.panes')
  if (!panes) throw new Error('The form has no panes')
  if (name === 'Source') return (await import('./source-mode.ts')).openSource(options, panes)
  await firstFrame()
  for (const part of document.querySelector<HTMLElement>('[data-parts]')?.dataset.parts?.split(' ') ?? []) {
    document.head.append(element('link', { rel: 'modulepreload', href: `/assets/${part}` }))
  }
  await import('prosemirror-view')
  await nextTask()
  await import('./document/schema.ts')
  await nextTask()
  const { readDocument } = await import('./document/parse.ts')
  await nextTask()
  const doc = readDocument(options.text)
  await nextTask()
  const { openPage } = await import('./page/page-mode.ts')
  await nextTask()
  return openPage(options, doc)
}
