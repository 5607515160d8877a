import { setImmediate as turn } from 'node:timers/promises'
import type { Ctx } from '../access/ctx.ts'
import { rewriteBody } from '../links/rewrite.ts'
import type { SpaceTemplate, TemplatePage } from './space-template.ts'

/**
 * The pages of a template as those of a space with another slug: links by which they name each other lead to the copies.
 * Relative ones do so by themselves. An import changes nothing: what comes out of a space goes in as it is.
 */
export async function pagesOfCopy(
  ctx: Pick<Ctx, 'markdown' | 'publicUrl' | 'config'>,
  { madeOf, pages }: Pick<SpaceTemplate, 'madeOf' | 'pages'>,
  slug: string,
): Promise<TemplatePage[]> {
  const paths = new Set(pages.map(({ path }) => path))
  const copies: TemplatePage[] = []
  for (const page of pages) {
    if (madeOf === undefined || madeOf === slug || !page.body.includes(`/pages/${madeOf}/`)) {
      copies.push(page)
      continue
    }
    // As if it stood there already: so a relative link means what it will mean.
    const at = { space: slug, path: page.path, publicOrigin: ctx.publicUrl }
    const { body } = await rewriteBody(ctx.markdown, page.body, {
      from: at,
      to: at,
      target: ({ space, path }) => ({ space: space === madeOf && paths.has(path) ? slug : space, path }),
    })
    copies.push(Buffer.byteLength(body) <= ctx.config.maxBodyBytes ? { ...page, body } : page)
    await turn()
  }
  return copies
}
