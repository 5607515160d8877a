import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { TEMPLATE_FOLDER } from '../../access/template-folder.ts'
import { annotateLinks } from '../links/annotate-links.ts'
import { resolve } from '../links/resolve.ts'
import type { LinkState } from '../links/store-states.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { translateBody } from '../pages/reading/translate-body.ts'
import { templateText } from '../pages/templates/page-template.ts'
import { variablesIn } from '../pages/templates/variables.ts'
import { readSpaceTemplate } from './gallery.ts'
import type { TemplatePage, TemplateSource } from './space-template.ts'

export type TemplatePreview = Awaited<ReturnType<typeof previewTemplate>>

/** Renders the page at `path`, by default the start page. `toUrl` returns the preview URL of another page. */
export async function previewTemplate(
  ctx: PagesCtx,
  input: { readonly source: TemplateSource; readonly id: string; readonly path: string | undefined },
  toUrl: (path: string) => string,
) {
  const { pages, ...template } = await readSpaceTemplate(ctx, input.source, input.id)
  const page = input.path === undefined ? findStartPage(pages) : pages.find(({ path }) => path === input.path)
  if (input.path !== undefined && !page) throw new AppError('not_found', `The template has no page \`${input.path}\`.`)
  const paths = pages.map(({ path }) => path)
  return {
    template,
    paths,
    /** Absent if the template has no pages; the HTML is sanitised. */
    ...(page && { page: { path: page.path, html: await renderBody(ctx, template.id, page, paths, toUrl) } }),
    /** The page templates among its pages. */
    pageTemplates: pages
      .filter(({ path }) => path.startsWith(TEMPLATE_FOLDER))
      .map(({ path, body }) => ({ path, variables: variablesIn(templateText(body)) })),
  }
}

/** Page templates come last. */
function findStartPage(pages: readonly TemplatePage[]): TemplatePage | undefined {
  return (
    pages.find(({ path }) => /^(?:readme|index|home|start|overview)$/i.test(path)) ??
    pages.find(({ path }) => !path.startsWith(TEMPLATE_FOLDER)) ??
    pages[0]
  )
}

async function renderBody(
  ctx: PagesCtx,
  id: string,
  { path, body }: TemplatePage,
  paths: readonly string[],
  toUrl: (path: string) => string,
): Promise<string> {
  const renderedPage = await ctx.pages.markdown.render(body)
  const from = { space: id, path, publicOrigin: ctx.config.publicUrl }
  const knownPaths = new Set(paths)
  const states = renderedPage.links.flatMap(({ href }): LinkState[] => {
    const to = resolve(href, from)
    return to?.space === id && !knownPaths.has(to.path) ? [[id, to.path, id, to.path, true]] : []
  })
  const linkUrl = ({ space, path }: PageAddress) =>
    space !== id ? pageUrl(space, path) : knownPaths.has(path) ? toUrl(path) : '#'
  return translateBody(await annotateLinks(renderedPage, from, states, linkUrl))
}
