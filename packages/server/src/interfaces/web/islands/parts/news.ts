/** The bar that says what changed of the page of this window. */
import { changeRequestUrl, historyUrl } from '../../urls.ts'
import { element } from './dom.ts'
import { followOpenPage, type OpenPage, type PageChange } from './open-page.ts'
import { t } from './t.ts'

/** The response to what this window changed itself comes first. */
const OWN_MS = 700

export interface NewsOptions {
  readonly page: { readonly space: string; readonly path: string }
  readonly state: OpenPage['state']
  /** The version that the window has, or a later one that it made. */
  readonly version: () => number
  /** The bar is put before it. */
  readonly before: Element
  /** What can be done about a newer version. */
  readonly action: () => HTMLElement
  /** Something else of the page changed, such as a comment. */
  readonly onOther?: (change: PageChange) => void
}

/** Follows the page, and shows a bar once somebody has saved a version that the window does not have. */
export function showNews({ page: { space, path }, state, version, before, action, onOther }: NewsOptions): void {
  const bar = element('div', { class: 'notice info news', role: 'status' })
  before.before(bar)
  const show = (text: string, links?: Node) => {
    bar.textContent = text
    if (links) bar.append(' ', links)
  }
  const showVersion = (newVersion: number, who?: string) => {
    setTimeout(() => {
      if (newVersion <= version()) return
      const compare = historyUrl(space, path, { from: String(version()), to: String(newVersion) })
      const text =
        who === undefined
          ? t('There is a newer version, {version}.', { version: newVersion })
          : t('{name} saved version {version}.', { name: who, version: newVersion })
      show(
        text,
        element('span', {}, element('a', { href: compare, target: '_blank' }, t('What changed')), ' · ', action()),
      )
    }, OWN_MS)
  }
  followOpenPage({
    page: `${space}/${path}`,
    state,
    onVersion: (newVersion) => showVersion(newVersion),
    onChange(change) {
      const { event, actor, page, changeRequest } = change
      const { name } = actor
      if (changeRequest) {
        const url = changeRequestUrl({ space, number: changeRequest.number }, { path })
        show(t('{name} proposes a change of this page:', { name }), element('a', { href: url }, changeRequest.title))
      } else if (!page) onOther?.(change)
      else if (event === 'page.deleted') show(t('{name} deleted this page.', { name }))
      else if (event === 'page.moved' && page.path !== path)
        show(
          t('{name} moved this page.', { name }),
          element('a', { href: new URL(page.url).pathname }, t('Read it there')),
        )
      else if (page.version > version()) showVersion(page.version, name)
    },
  })
}
