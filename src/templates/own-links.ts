import { setImmediate as turn } from 'node:timers/promises'
import type { BulkCtx } from '../bulk/ctx.ts'
import { rewriteBody } from '../links/rewrite.ts'
import type { SpaceTemplate, TemplatePage } from './space-template.ts'

/**
 * The pages of a template for a space with another slug: absolute links to pages and files of it are rewritten to the copies. Relative
 * links need no rewriting, and an import rewrites nothing.
 */
export async function pagesOfCopy(
  ctx: Pick<BulkCtx, 'pages' | 'config'>,
  { createdFrom, pages, files }: Pick<SpaceTemplate, 'createdFrom' | 'pages' | 'files'>,
  slug: string,
): Promise<TemplatePage[]> {
  const paths = new Set(pages.map(({ path }) => path))
  const filePaths = new Set(files.map(({ path }) => path))
  const copies: TemplatePage[] = []
  for (const page of pages) {
    if (createdFrom === undefined || createdFrom === slug || !mentions(page.body, createdFrom)) {
      copies.push(page)
      continue
    }
    // Resolved from the path of the copy, so that relative links keep their meaning.
    const at = { space: slug, path: page.path, publicOrigin: ctx.config.publicUrl }
    const { body } = await rewriteBody(ctx.pages.markdown, page.body, {
      from: at,
      to: at,
      target: ({ space, path }) => ({ space: space === createdFrom && paths.has(path) ? slug : space, path }),
      file: ({ space, path }) =>
        space === createdFrom && filePaths.has(path) ? { space: slug, path } : undefined,
    })
    copies.push(Buffer.byteLength(body) <= ctx.config.maxBodyBytes ? { ...page, body } : page)
    await turn()
  }
  return copies
}

function mentions(body: string, slug: string): boolean {
  return ['pages', 'files'].some((kind) => body.includes(`/${kind}/${slug}/`))
}
