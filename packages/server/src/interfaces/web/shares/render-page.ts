import { type OpenShare, readSharedPage, type SharedPage } from '../../../content/pages/shares/open-share.ts'
import type { SharedRoot } from '../../../content/pages/shares/store-shares.ts'
import type { Html } from '../html.ts'
import type { Screen } from '../screen.ts'
import { readerScreen } from './reader-view.ts'
import { limitLinks } from './shared-html.ts'

/** Where readers find what belongs to a link. */
interface ShareUrls {
  toPage(path: string): string
  /** The URL of a file for readers of a page, if it is another one than its own. */
  toFile?(pagePath: string, filePath: string): string
}

/** What `annotateLinks` writes for a page that is no part of the link: `limitLinks` removes it. */
const ELSEWHERE = 'about:invalid'

/** A page of a link as its readers see it; `notice` is above, in a preview. */
export async function renderSharedPage(
  share: OpenShare<SharedRoot>,
  { page, pages, notice }: { readonly page: SharedPage; readonly pages: readonly SharedPage[]; readonly notice?: Html },
  { toPage, toFile }: ShareUrls,
): Promise<Screen> {
  const { row, ctx } = share
  const { revision, files } = await readSharedPage(share, page)
  const shownFiles = files.map(([slug, target, file]) => {
    const url = file && (toFile?.(page.path, file.path) ?? file.url)
    return [slug, target, file && url ? { ...file, url } : file] as const
  })
  const paths = new Set(pages.map(({ path }) => path))
  const html = await revision.html({
    toUrl: ({ space, path }) => (space === row.space && paths.has(path) ? toPage(path) : ELSEWHERE),
    files: shownFiles,
  })
  const addresses = new Set([
    ...pages.map(({ path }) => toPage(path)),
    ...shownFiles.map(([, , file]) => file?.url ?? ''),
  ])
  const { headings, isSource } = await revision.content.rendered()
  const [first] = headings
  return readerScreen({
    page,
    pages,
    toUrl: toPage,
    // A source has the front matter.
    body: isSource ? undefined : limitLinks(html, addresses, new URL(ctx.config.publicUrl).origin),
    hasTitle: first?.level === 1 && first.text.trim() === page.title,
    notice,
  })
}
